import { readPlainYaml, type YamlKey } from "../../format/yaml.ts";
import { Problem } from "../../kernel/problem.ts";
import type { CardFiles } from "../files.ts";
import { foldPath } from "../paths.ts";
import { readSkillText, type SkillText, skillProblem } from "./skill-text.ts";

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
