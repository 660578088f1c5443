import fs from "node:fs";
import path from "node:path";
import { optionValuesSchema } from "../card/options.ts";
import { publisherKeyText } from "../card/signing/publisher-key.ts";
import { ASK_FALLBACKS, DRWN_ITSELF, type Grant, MODES, type OptionValues, type Terms } from "../contract/ledger.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormat } from "../kernel/format/read.ts";
import { instantText, treeText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import { AGENT_IDS } from "../policy/event.ts";

const portableConsentSchema = z.strictObject({
  card: z.string(),
  source: z.string(),
  publisher: publisherKeyText.nullable(),
  range: z.string(),
  version: z.string(),
  tree: treeText,
  skills: z.record(z.string(), treeText).exactOptional(),
  options: optionValuesSchema.exactOptional(),
  mode: z.enum(MODES),
  hooks: z.array(z.string()).nullable(),
  askFallback: z.enum(ASK_FALLBACKS),
  expiresAt: instantText.nullable(),
  onYank: z.enum(["keep", "stand-down"]),
  runtimes: z.array(z.enum(AGENT_IDS)).min(1).nullable(),
});

const schema = z.strictObject({ version: z.literal(1), consents: z.array(portableConsentSchema) });

/** What `drwn trust --export` prints. */
export function printTrustFile(consents: readonly PortableConsent[]): string {
  return formatJson({ version: 1, consents });
}

/**
 * The consents in a file that the machine's owner keeps outside its projects, say on a build machine. A file that is in
 * the project or that others can change proves nobody's consent.
 */
export function readTrustFile(file: string, projectTop: string): PortableConsent[] {
  const fault = faultOf(file, projectTop);
  if (fault === undefined) return readFormat(file, schema).consents;
  const owned = "outside of every repository, owned by you, and only you may write to it";
  const hint = fault === MISSING ? "make it where you consented: drwn trust --export > trust.json" : `keep it ${owned}`;
  throw new Problem("DRWN_TRUST_FILE_UNSAFE", `${file} ${fault}`, { hint });
}

const MISSING = "is not there";

function faultOf(file: string, projectTop: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return MISSING;
  if (!stat.isFile()) return "isn't a regular file";
  const real = fs.realpathSync(file);
  if (real.startsWith(`${projectTop}${path.sep}`))
    return "is inside the project, where whoever can push decides what it says";
  if (isOpen(real)) return "belongs to another user, or can be changed by others";
  const folder = fs.statSync(path.dirname(real));
  const isSticky = (folder.mode & 0o1000) !== 0;
  return (folder.mode & 0o022) !== 0 && !isSticky ? "is in a folder where others can replace it" : undefined;
}

/** Whether others can change it; the administrator's files are as good as one's own. */
function isOpen(file: string): boolean {
  const { uid, mode } = fs.statSync(file);
  return (mode & 0o022) !== 0 || (uid !== 0 && uid !== (process.getuid?.() ?? uid));
}

/** A consent in the form in which it goes to another machine: to exactly one content of one card, under its terms. */
export interface PortableConsent extends Terms {
  card: string;
  source: string;
  publisher: string | null;
  range: string;
  version: string;
  /**
   * Digest of the content that was approved. A card with another digest is another card, whatever its name and version.
   */
  tree: string;
  /** For each skill that is code, by name: the digest of its files; absent: nobody consented to any. */
  skills?: Record<string, string>;
  /** The values of the options, by hook; absent: as the card declares them. */
  options?: Record<string, OptionValues>;
}

/** The part of a grant that another machine can use: the content that was approved last, which is the one in force. */
export function toPortable(grant: Grant): PortableConsent | undefined {
  const approval = grant.approved.at(-1);
  if (approval === undefined || grant.revokedAt !== null) return undefined;
  const { card, source, range, options, mode, hooks, askFallback, expiresAt, onYank, runtimes } = grant;
  const { cardVersion: version, tree, publisher, skills } = approval;
  const terms = { mode, hooks, askFallback, expiresAt, onYank, runtimes };
  const more = { ...(skills === undefined ? {} : { skills }), ...(options === undefined ? {} : { options }) };
  return {
    card,
    source,
    publisher: publisher === DRWN_ITSELF ? null : publisher,
    range,
    version,
    tree,
    ...terms,
    ...more,
  };
}
