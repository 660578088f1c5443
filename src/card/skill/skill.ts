import { readPlainYaml, type YamlKey } from "../../kernel/format/yaml.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { CardFiles } from "../files.ts";
import { foldPath } from "../safe-path.ts";

export const SKILL_FILE = "SKILL.md";

/** A SKILL.md that every reader divides and reads in the same way, and that has no hooks. */
export interface ReadSkill extends SkillText {
  /** Every key of its frontmatter, at whatever depth. */
  keys: readonly YamlKey[];
}

/** A line that looks like `hooks:` to a reader that doesn't see that it is part of a longer value. */
const HOOKS_LINE = /^[\s\-?{[("'`,]*hooks["'`\s]*[:：]/iu;
const DRAWN_AS_NOTHING = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Refuses a SKILL.md that has hooks, or in whose frontmatter some agent could read something that another agent, or a
 * person, doesn't see. Every agent reads the others in the same way.
 */
export function readSkill(bytes: Uint8Array, { file }: { file: string }): ReadSkill {
  const text = readSkillText(bytes, { file });
  const [from, to] = text.frontmatter;
  if (to === 0) return { ...text, keys: [] };
  const frontmatter = text.lines.slice(from, to);
  const hidden = frontmatter.findIndex((line) => isHooksLine(line));
  if (hidden >= 0) throw refuseHooks(file, from + hidden + 1);
  const keys = readPlainYaml(frontmatter.join("\n"));
  if (!Array.isArray(keys)) {
    throw skillProblem({ file, line: keys.line + from, fault: `in frontmatter that ${keys.fault}` });
  }
  const hooks = keys.find(({ name }) => foldKey(name) === "hooks");
  if (hooks !== undefined) throw refuseHooks(file, hooks.line + from);
  return { ...text, keys: keys.map((key) => ({ ...key, line: key.line + from })) };
}

/** Checks the SKILL.md of each listed skill, and every other one that an agent could find in the card. */
export function checkSkills(files: CardFiles, skills: readonly string[]): void {
  requireSkillFiles(files, skills);
  for (const [path, bytes] of files) if (isSkillFile(path)) readSkill(bytes, { file: path });
}

export function requireSkillFiles(files: CardFiles, skills: readonly string[]): void {
  for (const skill of skills) {
    const file = `skills/${skill}/${SKILL_FILE}`;
    if (files.has(file)) continue;
    throw new Problem("DRWN_SKILL_INVALID", `the card lists the skill \`${skill}\` but has no ${file}`);
  }
}

/** Whether some file system or agent takes this file of a card for a SKILL.md. */
export function isSkillFile(path: string): boolean {
  return foldPath(path).endsWith(`/${foldPath(SKILL_FILE)}`);
}

/** Agents differ in how they spell a key: in case, and with `-`, `_` or nothing between its words. */
export function foldKey(name: string): string {
  return name.toLowerCase().replace(/[-_.]/gu, "");
}

function isHooksLine(line: string): boolean {
  return HOOKS_LINE.test(line.normalize("NFKC").replace(DRAWN_AS_NOTHING, ""));
}

function refuseHooks(file: string, line: number): Problem {
  return skillProblem({
    ...{ file, line, fault: "carries `hooks` in its frontmatter" },
    hint: "make them hook policies: drwn card source add-hook <card> <hook>",
  });
}

/** A SKILL.md as every agent reads it: its lines, and which of them are frontmatter. */
interface SkillText {
  /** Without line endings. */
  lines: readonly string[];
  /** The lines between the fences, by their place in `lines`; [0, 0]: it has no frontmatter. */
  frontmatter: readonly [from: number, to: number];
}

const MOST_BYTES = 1024 * 1024;
const MOST_FRONTMATTER = 16 * 1024;
const FENCE = "---";

// What some readers take for the end of a line and others don't, and what none can show.
const STRAY = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]|\r(?!\n)/u;
/** Blanks and invisible characters. */
const NOTHING = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;
/** How some reader expects frontmatter to begin: in YAML, TOML or JSON, or with a directive. */
const OTHER_OPENING = /^(?:-{3}|\+{3}|;{3}|\.{3}|%|\{)/u;

/** Refuses a file that two readers could divide or decode differently, and names the line. */
function readSkillText(bytes: Uint8Array, { file }: { file: string }): SkillText {
  const text = decode(bytes, file);
  const stray = STRAY.exec(text);
  if (stray !== null) {
    const code = (stray[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw skillProblem({ file, line: lineOf(text, stray.index), fault: `has the character U+${code}` });
  }
  const lines = text.split(/\r?\n/u);
  if (lines[0] !== FENCE) {
    const start = NOTHING.exec(text)?.[0].length ?? 0;
    if (!OTHER_OPENING.test(text.slice(start))) return { lines, frontmatter: [0, 0] };
    const fault = `has frontmatter that does not begin with exactly \`${FENCE}\` in the first line`;
    throw skillProblem({ file, line: lineOf(text, start), fault });
  }
  const end = lines.indexOf(FENCE, 1);
  if (end < 0)
    throw skillProblem({ file, line: 1, fault: "has frontmatter without a line that is exactly `---` at its end" });
  for (let at = 1; at < end; at += 1) checkLine(lines[at] ?? "", { file, line: at + 1 });
  const size = lines.slice(1, end).join("\n").length;
  if (lines.slice(1, end).every((line) => line.trim() === "")) {
    throw skillProblem({ file, line: 1, fault: "has empty frontmatter" });
  }
  if (size > MOST_FRONTMATTER) {
    throw skillProblem({
      file,
      line: 1,
      fault: `has frontmatter of more than ${plural(MOST_FRONTMATTER, "character")}`,
    });
  }
  const next = lines.findIndex((line, at) => at > end && line.trim() !== "");
  if (next > 0 && OTHER_OPENING.test(lines[next]?.trim() ?? "")) {
    throw skillProblem({ file, line: next + 1, fault: "has a second beginning of frontmatter after the first" });
  }
  return { lines, frontmatter: [1, end] };
}

/** Says what is wrong with a skill, and where. */
function skillProblem({ file, line, fault, hint }: SkillFault): Problem {
  const message = `${clean(file)}, line ${line}, ${fault}`;
  return new Problem("DRWN_SKILL_INVALID", message, {
    hint: hint ?? "write it as `key: value` lines between two `---`",
  });
}

interface SkillFault {
  file: string;
  /** From 1. */
  line: number;
  fault: string;
  hint?: string;
}

function decode(bytes: Uint8Array, file: string): string {
  if (bytes.length > MOST_BYTES) {
    throw skillProblem({ file, line: 1, fault: `begins a file of more than ${MOST_BYTES} bytes`, hint: "divide it" });
  }
  try {
    return requireNoMark(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), file);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw skillProblem({ file, line: 1, fault: "begins a file that is not UTF-8", hint: "save it as UTF-8" });
  }
}

function requireNoMark(text: string, file: string): string {
  if (!text.startsWith("\ufeff")) return text;
  throw skillProblem({ file, line: 1, fault: "begins with a byte order mark", hint: "save it as UTF-8 without one" });
}

/** Readers disagree about where frontmatter with these ends. */
function checkLine(text: string, { file, line }: { file: string; line: number }): void {
  if (text.includes(FENCE))
    throw skillProblem({ file, line, fault: `holds \`${FENCE}\`, where some readers end the frontmatter` });
  if (/^(?:\.{3}|%)/u.test(text))
    throw skillProblem({ file, line, fault: "begins with what ends or directs a YAML document" });
  if (text.includes("\t")) throw skillProblem({ file, line, fault: "holds a tab" });
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
