import { clean, plural } from "../../../kernel/text.ts";
import type { ReviewedSkill } from "../../../operations/project/trust.ts";
import type { Style } from "../../terminal/style.ts";

/** Lines are shown whole, in chunks of this width: the part cut off could be the one that matters. */
const WIDTH = 160;

/** What a skill would make an agent do, line by line. */
export function renderSkill({ name, code, digest, change }: ReviewedSkill, style: Style): string[] {
  const how = change === null || change === "same" ? "" : ` ${style.warn(CHANGES[change])}`;
  return [
    "",
    `  ${style.bold(`skill ${clean(name)}`)}${how}`,
    `    would make an agent do something by itself, past every hook, by ${plural(code.length, "line")}:`,
    ...code.flatMap(({ file, line, why, text }) => [
      `    ${clean(file, 2000)}:${line} (${MEANS[why]})`,
      ...chunksOf(clean(text, Number.MAX_SAFE_INTEGER)).map((chunk) => `      | ${chunk}`),
    ]),
    `    contents    ${clean(digest)}`,
  ];
}

const CHANGES = {
  added: "(not part of the consent in force)",
  other: "(other lines than those of the consent in force)",
} as const;

const MEANS: Readonly<Record<ReviewedSkill["code"][number]["why"], string>> = {
  shell: "agents run it when the skill is used, and ask no hook",
  reference: "agents put a file of this name in its place, and ask no hook",
  frontmatter: "agents may permit, start or change something by it",
  file: "agents may act on a file in this place",
  reached: "what the skill runs or permits may reach this file",
};

function chunksOf(text: string): string[] {
  const characters = [...text];
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += WIDTH) chunks.push(characters.slice(at, at + WIDTH).join(""));
  return chunks;
}
