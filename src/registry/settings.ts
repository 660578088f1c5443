import { layout } from "../contract/layout.ts";
import { writeNoted } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

const REGISTRY_NAME = /^[a-z0-9][a-z0-9-]{0,38}$/u;
const SCOPE = /^@[a-z0-9][a-z0-9-]{0,38}$/u;

/** The folder below DRWN_HOME, which is always there. */
export const DEFAULT_REGISTRY = "default";

const namedRegistry = z.strictObject({
  /** `npm`: a server that speaks npm's protocol; `folder`: a folder; `static`: such a folder behind a web server. */
  kind: z.enum(["npm", "folder", "static"]),
  /** A URL, or an absolute path. */
  location: z.string(),
});

const consentSettings = z.strictObject({
  /** Commands for a person also look for an agent among the processes that started them. */
  ancestry: z.boolean().exactOptional(),
  /** Commands for a person refuse to work without a terminal. */
  terminal: z.boolean().exactOptional(),
  /** How long this machine must have known a version from elsewhere before it joins a consent by itself. */
  releaseAgeHours: z.int().min(0).max(8_760).exactOptional(),
});

const schema = z.strictObject({
  version: z.literal(1),
  registries: z.record(z.string().regex(REGISTRY_NAME), namedRegistry),
  /** Scope to the name of its one registry. */
  scopes: z.record(z.string().regex(SCOPE), z.string()),
  consent: consentSettings.exactOptional(),
});

export type NamedRegistry = z.infer<typeof namedRegistry>;

/**
 * `$DRWN_HOME/config.json`: where this user's cards come from. No project can decide this: a repository that named
 * registries would decide whose cards a name means, and who gets the user's tokens.
 */
export type RegistrySettings = z.infer<typeof schema>;

export function readRegistrySettings(home: string): RegistrySettings {
  const file = layout.settings(home);
  try {
    return readFormatIfThere(file, schema) ?? { version: 1, registries: {}, scopes: {} };
  } catch (error) {
    if (!isProblem(error) || error.code !== "DRWN_FILE_INVALID" || error.hint !== undefined) throw error;
    const hint = "correct it; if another tool that is called drwn keeps its state there: export DRWN_HOME=~/.drwn";
    throw new Problem(error.code, error.message, { hint, details: error.details, cause: error });
  }
}

export type ConsentSettings = Required<z.infer<typeof consentSettings>>;

/** The settings of a machine on which nobody has changed them. */
export const CONSENT_DEFAULTS: ConsentSettings = { ancestry: false, terminal: false, releaseAgeHours: 72 };

/** How sure this machine wants to be that a person consents, and how long a version waits before it joins by itself. */
export function readConsentSettings(home: string): ConsentSettings {
  return { ...CONSENT_DEFAULTS, ...readRegistrySettings(home).consent };
}

export function writeRegistrySettings(home: string, settings: RegistrySettings, note: () => void): void {
  writeNoted({ file: layout.settings(home), content: formatJson(settings), mode: 0o600, note });
}

export function parseRegistryName(text: string): string {
  if (REGISTRY_NAME.test(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a name for a registry`, {
    details: ["expected: at most 39 lower-case letters, digits and dashes"],
  });
}

export function parseCardScope(text: string): string {
  if (SCOPE.test(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a scope`, { details: ["expected: @scope"] });
}
