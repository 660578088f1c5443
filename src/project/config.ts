import { isSpec } from "../card/spec.ts";
import { parseStrictJson } from "../format/json.ts";
import { readBounded, readFormat, readFormatIfThere } from "../format/read.ts";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { RUNTIMES } from "../policy/event.ts";
import type { FileEdit } from "./commit.ts";
import { cardNameField, requestField } from "./fields.ts";
import { projectFiles } from "./files.ts";

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  /** Card name to semver range or source, in the order in which their policies run. */
  cards: z.record(cardNameField, requestField),
  /** Agents to guard in addition to those of each machine. Of every folder, or every user: exactly these, by choice. */
  runtimes: z.array(z.enum(RUNTIMES)).min(1).optional(),
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
  return orNamesake(root, () => readFormat(projectFiles.config(root), configSchema));
}

/** Undefined if there is none. */
export function readConfigIfThere(root: string): ProjectConfig | undefined {
  return orNamesake(root, () => readFormatIfThere(projectFiles.config(root), configSchema));
}

function orNamesake<T>(root: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    refuseNamesake(root);
    throw error;
  }
}

/** Another tool has the same name and the same folder, and its config.json lists `workers`, or cards as a list. */
export function refuseNamesake(root: string): void {
  const file = projectFiles.config(root);
  if (!isOfNamesake(file)) return;
  const folder = projectFiles.folder(root);
  throw new Problem("DRWN_FILE_INVALID", `${clean(file)} belongs to another tool that is called drwn, too`, {
    details: ["both keep a project's files in .agents/drwn, so a folder can be a project of one of them alone"],
    hint: `keep that tool, or put its files aside: mv ${shellQuote(folder)} ${shellQuote(`${folder}-other`)} && drwn init`,
  });
}

function isOfNamesake(file: string): boolean {
  try {
    const known = parseStrictJson(readBounded(file)?.toString("utf8") ?? "", { file });
    if (typeof known !== "object" || known === null) return false;
    return "workers" in known || Array.isArray(Reflect.get(known, "cards"));
  } catch {
    // Whoever reads the file says what is wrong with it.
    return false;
  }
}

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
