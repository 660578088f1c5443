import { CARD_NAME_FORM, isCardName } from "../card/name.ts";
import { isRequest } from "../card/request.ts";
import { isSpec } from "../card/spec.ts";
import { isRange, isVersion } from "../card/version.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson, parseStrictJson } from "../kernel/format/json.ts";
import { readBounded, readFormat, readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { AGENT_IDS } from "../policy/event.ts";
import type { FileEdit } from "./commit.ts";
import { projectFiles } from "./identity.ts";

/** Fields that several files of a project have. */
export const cardNameField = z.string().refine((text): boolean => isCardName(text), { error: CARD_NAME_FORM });

export const requestField = z
  .string()
  .refine(isRequest, { error: "a semver range like ^1.2.0, or a source of a card" });

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  /** Card name to semver range or source, in the order in which their policies run. */
  cards: z.record(cardNameField, requestField),
  /** Agents to guard in addition to those of each machine. Of every folder, or every user: exactly these, by choice. */
  runtimes: z.array(z.enum(AGENT_IDS)).min(1).optional(),
  /**
   * Cards, with a range or without, whose hook policies everybody who works on the project must have in force. It can only
   * tighten: it consents to nothing.
   */
  requireHooks: z
    .array(z.string().refine(isSpec, { error: "a card like @acme/guards or @acme/guards@^1.0.0" }))
    .optional(),
});

/** `.agents/drwn/config.json`: what the project asks for. */
export type ProjectConfig = z.infer<typeof configSchema>;

export const EMPTY_CONFIG: ProjectConfig = { version: 1, cards: {} };

export function readConfig(root: string): ProjectConfig {
  return orForeign(root, () => readFormat(projectFiles.config(root), configSchema));
}

/** Undefined if there is none. */
export function readConfigIfThere(root: string): ProjectConfig | undefined {
  return orForeign(root, () => readFormatIfThere(projectFiles.config(root), configSchema));
}

function orForeign<T>(root: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const whose = ownershipOf(projectFiles.config(root));
    throw whose === "ours" ? error : foreign(root, whose, error);
  }
}

/** If it is this drwn's, only damaged, whoever reads it says what is wrong with it. */
export function refuseForeignConfig(root: string): void {
  if (ownershipOf(projectFiles.config(root)) !== "ours") readConfig(root);
}

function foreign(root: string, whose: "namesake" | "unknown", cause: unknown): Problem {
  const file = clean(projectFiles.config(root));
  const folder = projectFiles.folder(root);
  const move = `mv ${shellQuote(folder)} ${shellQuote(`${folder}-other`)} && drwn init`;
  if (whose === "namesake") {
    return new Problem("DRWN_PROJECT_FOREIGN", `${file} belongs to another tool that is called drwn, too`, {
      details: ["both keep a project's files in .agents/drwn, so a folder can be a project of one of them alone"],
      hint: `keep that tool, or put its files aside: ${move}`,
    });
  }
  const why = isProblem(cause) ? cause.message : file;
  return new Problem("DRWN_FILE_INVALID", `${why}, so it isn't one of this drwn's`, {
    hint: `if it was this drwn's, restore it, for example with git, or get a newer drwn; if not, put the files aside: ${move}`,
    cause,
  });
}

/** Another tool has the same name and the same folder, and its config.json lists `workers`, or cards as a list. */
function ownershipOf(file: string): "ours" | "namesake" | "unknown" {
  try {
    const text = readBounded(file)?.toString("utf8");
    return text === undefined ? "ours" : ownershipOfText(text, file);
  } catch {
    return "ours";
  }
}

function ownershipOfText(text: string, file: string): ReturnType<typeof ownershipOf> {
  let known: unknown;
  try {
    known = parseStrictJson(text, { file });
  } catch {
    // A slip of whoever edited it, or what git could not merge.
    return OURS.test(text) ? "ours" : "unknown";
  }
  if (typeof known !== "object" || known === null) return "unknown";
  if (isNamesakes(known) || Array.isArray(Reflect.get(known, "cards"))) return "namesake";
  return Reflect.get(known, "version") === 1 ? "ours" : "unknown";
}

/** Fields that the other tool's files have, of any version, and none of this drwn's. */
const THEIRS = ["workers", "workerRoots", "schemaVersion", "store", "servers", "targets", "activeMinds"];

function isNamesakes(known: object): boolean {
  return THEIRS.some((field) => Object.hasOwn(known, field));
}

/** Whether a card.lock is the other tool's; false if nobody can tell. */
export function isForeignLock(file: string): boolean {
  try {
    const known: unknown = parseStrictJson(readBounded(file)?.toString("utf8") ?? "", { file });
    return typeof known === "object" && known !== null && isNamesakes(known);
  } catch {
    return false;
  }
}

const OURS = /"version"\s*:\s*1\s*[,}]/u;

export function writeConfig(root: string, config: ProjectConfig): void {
  const { file, content, mode } = editConfig(root, config);
  writeAtomic(file, content, mode);
}

export function editConfig(root: string, config: ProjectConfig): FileEdit {
  return { file: projectFiles.config(root), content: formatJson(config), mode: 0o644 };
}

/** Adds the card at the end, or changes its range in place. */
export function withCard(config: ProjectConfig, name: string, range: string): ProjectConfig {
  return { ...config, cards: { ...config.cards, [name]: range } };
}

export function withoutCard(config: ProjectConfig, name: string): ProjectConfig {
  return { ...config, cards: Object.fromEntries(Object.entries(config.cards).filter(([card]) => card !== name)) };
}
export const rangeField = z.string().refine(isRange, { error: "a semver range like ^1.2.0, ~1.2.0, 1.x or 1.2.3" });
export const versionField = z.string().refine(isVersion, { error: "strict semver without build metadata, like 1.0.0" });
