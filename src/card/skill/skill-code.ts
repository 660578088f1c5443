import { digestOf } from "../../kernel/digest.ts";
import { isProblem } from "../../kernel/problem.ts";
import { type CardFiles, pickFiles, treeDigest } from "../files.ts";
import { type Manifest, skillsOf } from "../manifest.ts";
import { foldPath } from "../safe-path.ts";
import { foldKey, isSkillFile, type ReadSkill, readSkill, SKILL_FILE } from "./skill.ts";

export interface DescribedSkill {
  name: string;
  /** Over all files of the skill: a consent is bound to it. */
  digest: string;
  /** None: the skill is text, and needs no consent. */
  code: CodeLine[];
}

/** Fields that choose who does the work, and those whose name says that something runs, is permitted or is set. */
const ACTING_FIELD =
  /^(?:model|effort|context|background|env|run)$|agent|allow|approv|channel|command|depend|environment|exec|hook|import|includ|initial|isolat|lsp|mcp|memory|monitor|network|observ|permi|plugin|(?<!de|sub)script|server|session|setting|shell|tool|trust|workflow/u;
const isActing = (name: string) => ACTING_FIELD.test(foldKey(name));

const FIELD_LINE = /^[\s\-?{[("'`,]*([A-Za-z][\w.-]*)["'`\s]*:(?:\s|$)/u;
const DRAWN_AS_NOTHING = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Agents run a command between `!` with a backtick and the next one, some only after a blank; an argument can supply either sign.
 */
const SHELL = /!`|!\$|\$(?:ARGUMENTS|\d+)(?:\[\d+\])?`|(?:`{3}|~{3})[\s`~]*\$/u;
const SHELL_FENCE = /(?:`{3}|~{3})[\s`~]*!/u;
/** Agents replace it with the content of the file that it names; behind another sign than a blank only OpenCode does, up to a comma. */
const REFERENCE = /(?<before>^|[^\p{L}\p{N}_`])@(?<name>[^\s`,]+)/gu;
const BLANK = /^[\s。、？！]?$/u;
/** A word, or the name of a package with its version: few files are named so. */
const PACKAGE =
  /^[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)?(?:@(?:[a-z]+|[\^~]?\d+(?:\.(?:\d+|x))*(?:-[a-z]+(?:\.\d+)?)?))?$/u;
const PUNCTUATION = /[.,;:!?)\]}>*'"]+$/u;
/** What a decorator such as `@dataclass(frozen=True)` doesn't have. */
const FILE_SIGN = /^["'{$]|[./\\~]/u;

function namesFile(line: string): boolean {
  return [...line.matchAll(REFERENCE)].some(({ groups: { before = "", name = "" } = {} }) => {
    const path = name.replace(PUNCTUATION, "");
    return FILE_SIGN.test(path) && !PACKAGE.test(path) && (BLANK.test(before) || path === name);
  });
}

/** Describes a skill of a card. Refuses one that can be read in two ways. */
export function describeSkill(files: CardFiles, name: string): DescribedSkill {
  const prefix = `skills/${name}/`;
  const own = pickFiles(
    files,
    [...files.keys()].filter((path) => foldPath(path).startsWith(foldPath(prefix))),
  );
  const code = [...own].flatMap(([path, bytes]): CodeLine[] => {
    if (!isSkillFile(path)) return isPlainFile(path.slice(prefix.length)) ? [] : describeFileOf(path, bytes);
    const lines = codeOf(readSkill(bytes, { file: path }), path);
    // Some agents look for skills below skills, and some systems ignore case.
    return path === `${prefix}${SKILL_FILE}` ? lines : [...describeFileOf(path, bytes), ...lines];
  });
  return { name, digest: treeDigest(own), code: [...code, ...reachedBy(code, own)] };
}

/**
 * A command may run any file beside it, and a plugin's manifest may name any; a permission reaches those whose file or
 * folder it names. A consent covers these files, too.
 */
function reachedBy(code: readonly CodeLine[], own: CardFiles): CodeLine[] {
  const reachesAll = code.some(({ why, file }) => why === "shell" || (why === "file" && MANIFEST.test(foldPath(file))));
  const permitted = code.flatMap(({ why, text }) => (why === "frontmatter" ? [foldPath(text)] : [])).join("\n");
  // `Bash(${CLAUDE_SKILL_DIR}/*)`
  const isPattern = /[\\/]\*|\*\.\w|_dir\b/u.test(permitted);
  const isNamed = (path: string) =>
    foldPath(path)
      .split("/")
      .slice(2)
      .some((part) => permitted.includes(part));
  const shown = new Set(code.map(({ file }) => file));
  return [...own]
    .filter(([path]) => !isSkillFile(path) && !shown.has(path) && (reachesAll || isPattern || isNamed(path)))
    .flatMap(([path, bytes]) => describeFileOf(path, bytes).map((line): CodeLine => ({ ...line, why: "reached" })));
}

/** The skills of a card that are code, without any that can be read in two ways: those never reach an agent. */
export function codeSkillsOf(files: CardFiles, manifest: Manifest): DescribedSkill[] {
  return skillsOf(manifest).flatMap((name) => {
    try {
      const skill = describeSkill(files, name);
      return skill.code.length === 0 ? [] : [skill];
    } catch (error) {
      if (isProblem(error)) return [];
      throw error;
    }
  });
}

/** What a consent to skills covers: the digest of the code of each, by name. */
export function codeDigests(skills: readonly DescribedSkill[]): Record<string, string> {
  return Object.fromEntries(skills.map(({ name, code }) => [name, codeDigest(code)]));
}

/** What may reach an agent: the digest of all files of each, by name. */
export function folderDigests(skills: readonly DescribedSkill[]): Record<string, string> {
  return Object.fromEntries(skills.map(({ name, digest }) => [name, digest]));
}

function codeOf(skill: ReadSkill, file: string): CodeLine[] {
  const [, end] = skill.frontmatter;
  const found = new Map<number, CodeLine["why"]>();
  markFields(skill, found);
  for (let at = end === 0 ? 0 : end + 1; at < skill.lines.length; at += 1) {
    const line = plainly(skill.lines[at] ?? "");
    const last = lastLineOf(skill.lines, at, line);
    for (let covered = at; covered <= last; covered += 1) found.set(covered, "shell");
    if (!found.has(at) && namesFile(line)) found.set(at, "reference");
  }
  const lines = [...found].sort(([one], [other]) => one - other);
  return lines.map(([at, why]) => ({ file, line: at + 1, why, text: skill.lines[at] ?? "" }));
}

/** The last line of the command that begins in line `at`; the line before `at` if none does. */
function lastLineOf(lines: readonly string[], at: number, line: string): number {
  if (SHELL_FENCE.test(line)) return closing(lines, at, /`{3}|~{3}/u);
  const start = SHELL.exec(line);
  if (start === null) return at - 1;
  return line.slice(start.index + start[0].length).includes("`") ? at : closing(lines, at, /`/u);
}

/** Where a command that continues in the lines below ends; the last line if nothing ends it. */
function closing(lines: readonly string[], at: number, end: RegExp): number {
  const found = lines.findIndex((line, below) => below > at && end.test(plainly(line)));
  return found < 0 ? lines.length - 1 : found;
}

/** Marks all lines of fields that may be more than text, and lines of longer texts that look like an acting field. */
function markFields({ keys, lines, frontmatter: [from, end] }: ReadSkill, found: Map<number, CodeLine["why"]>): void {
  const fields = keys.filter(({ depth }) => depth === 0);
  for (const [index, { name, line }] of fields.entries()) {
    const last = (fields[index + 1]?.line ?? end + 1) - 1;
    if (!isActing(name)) continue;
    for (let at = line - 1; at < last; at += 1) if ((lines[at] ?? "").trim() !== "") found.set(at, "frontmatter");
  }
  const acting = keys.filter(({ name }) => isActing(name));
  for (const { line } of acting) found.set(line - 1, "frontmatter");
  for (let at = from; at < end; at += 1) {
    const name = FIELD_LINE.exec(plainly(lines[at] ?? ""))?.[1];
    if (name !== undefined && isActing(name)) found.set(at, "frontmatter");
  }
}

/** The text as somebody reads it who confuses letters that look alike and doesn't see invisible ones. */
function plainly(line: string): string {
  return line.normalize("NFKC").replace(DRAWN_AS_NOTHING, "");
}

/** Folders from which an agent loads code or settings that takes the skill for a plugin. */
const ACTING_FOLDERS: ReadonlySet<string> = new Set([
  ...["agents", "bin", "commands", "extensions", "hooks", "mods", "monitors", "output-styles", "plugins", "rules"],
]);
/** Its settings in such a plugin. */
const ACTING_FILE = /^(?:plugin|settings|config|hooks|mcp|lsp|opencode|[\w-]*extension)\.(?:jsonc?|ya?ml|toml)$/u;
const MANIFEST = /(?:^|\/)(?:plugin|[\w-]*extension)\.json$/u;
/** Instructions that agents read in any folder that they come across. */
const INSTRUCTIONS =
  /^(?:claude|agents|gemini|qwen|copilot-instructions|.*\.instructions|.*\.prompt|.*\.agent)(?:\..*)?\.md$/u;

/** Agents and other programs read rules, settings and hooks from such files in any folder that they come across. */
const HIDDEN = /^\./u;

/** Whether no agent acts on a file because of its place in a skill: a model asks for it, in a call that guards see. */
function isPlainFile(path: string): boolean {
  const parts = foldPath(path).split("/");
  if (parts.some((part) => HIDDEN.test(part) || INSTRUCTIONS.test(part))) return false;
  const [first = "", ...below] = parts;
  return below.length === 0 ? !ACTING_FILE.test(first) : !ACTING_FOLDERS.has(first);
}

const MOST_LINES = 200;

/** The lines of a file that an agent may act on; for a long or unreadable one, its size and digest. */
function describeFileOf(file: string, bytes: Buffer): CodeLine[] {
  const lines = bytes.toString("utf8").split("\n");
  const isShort = lines.length <= MOST_LINES && Buffer.from(lines.join("\n")).equals(bytes);
  const shown = isShort ? lines : [`${bytes.length} bytes, ${digestOf(bytes)}`];
  return shown.flatMap((text, at): CodeLine[] =>
    text.trim() === "" && at > 0 ? [] : [{ file, line: at + 1, why: "file", text }],
  );
}

/** A line of a skill that makes an agent run, permit or read something by itself, or might do so. */
interface CodeLine {
  /** In the card. */
  file: string;
  /** From 1. */
  line: number;
  why: "shell" | "reference" | "frontmatter" | "file" | "reached";
  text: string;
}

/** Equal for the same code, whatever its line numbers and the text around it. */
export function codeDigest(code: readonly CodeLine[]): string {
  return digestOf(JSON.stringify(code.map(({ file, why, text }) => [file, why, text])));
}
