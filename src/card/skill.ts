import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { CardFiles } from "./files.ts";
import { foldPath } from "./paths.ts";

export const SKILL_FILE = "SKILL.md";

// YAML also breaks lines at a lone carriage return, and its older version at these three.
const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/u;
const OPENING = /^---\s*$/u;
/** Exactly: a line that only some readers take for the end is refused like any other that is not plain. */
const CLOSING = "---";
const PLAIN_KEY = /^([A-Za-z_][\w.-]*)\s*:(?:\s|$)/u;
/** A comment, an item of a list, or a line that continues the value above it. */
const CONTINUES = /^(?:\s|#|- |-$|$)/u;

/**
 * Refuses a SKILL.md that brings hooks: a skill needs no consent, so it must not hold what an agent would run. Frontmatter
 * is read more narrowly than YAML: whatever is not plainly `key: value` is refused, since it could spell `hooks` another way.
 */
export function checkSkill(text: string, { file }: { file: string }): void {
  const lines = text
    .replace(/^\ufeff/u, "")
    .trimStart()
    .split(LINE_BREAK);
  if (!OPENING.test(lines[0] ?? "")) return;
  const end = lines.findIndex((line, at) => at > 0 && line === CLOSING);
  if (end < 0) throw refuse(file, "has frontmatter without an end", "close it with a line `---`");
  for (const line of lines.slice(1, end)) checkLine(line, file);
}

/** Checks the SKILL.md of each listed skill, and every other one that an agent could find in the card. */
export function checkSkills(files: CardFiles, skills: readonly string[]): void {
  for (const skill of skills) {
    const file = `skills/${skill}/${SKILL_FILE}`;
    if (files.has(file)) continue;
    throw new Problem("DRWN_SKILL_INVALID", `the card lists the skill \`${skill}\` and has no ${file}`);
  }
  for (const [path, bytes] of files) {
    if (foldPath(path).endsWith(`/${foldPath(SKILL_FILE)}`)) checkSkill(bytes.toString("utf8"), { file: path });
  }
}

function checkLine(line: string, file: string): void {
  if (CONTINUES.test(line)) return;
  const key = PLAIN_KEY.exec(line)?.[1];
  if (key === undefined) {
    throw refuse(file, `has frontmatter that is not plain: \`${clean(line, 80)}\``, "write it as `key: value`");
  }
  if (key.toLowerCase() === "hooks") {
    throw refuse(file, "carries `hooks` in its frontmatter", "make them hook policies: drwn card source add-hook");
  }
}

function refuse(file: string, fault: string, hint: string): Problem {
  return new Problem("DRWN_SKILL_INVALID", `${clean(file)} ${fault}`, { hint });
}
