import { isRecord } from "../../hot/shape.ts";

/** Where agents keep skills, commands and agents, in any tool's path or text. */
const PLACE =
  /\.(?:claude|agents|gemini|opencode|codex|cursor|copilot|github|config[\\/]opencode)[\\/](?:skills?|commands?|agents?|prompts)[\\/]|SKILL\.md/iu;
/** `` !`command` ``, with a backslash before each backquote if a shell writes it. */
const LINE = /!\\?`((?:[^`\\\n]|\\[^`\n])+)\\?`/gu;
/** `!{command}` in a command of Gemini CLI. */
const GEMINI = /\.gemini[\\/]commands[\\/]/iu;
const GEMINI_LINE = /!\{([^{}\n]+)\}/gu;
/** A block that runs as a whole. */
const BLOCK = /^[ \t]*```!\w*[ \t]*\n([\s\S]*?)^[ \t]*```/gmu;
const DEEPEST = 6;
const MOST = 50;

/**
 * The commands in a skill or command that a call writes: the agent runs them by itself when somebody uses it, past its hooks. So the call is
 * also a call of the shell.
 */
export function inlineCommandsIn(input: unknown, json: string): string[] {
  if (!json.includes("!`") && !json.includes("!\\\\`") && !json.includes("```!") && !json.includes("!{")) return [];
  const texts = textsIn(input, 0);
  if (!texts.some((text) => PLACE.test(text))) return [];
  const patterns = texts.some((text) => GEMINI.test(text)) ? [LINE, BLOCK, GEMINI_LINE] : [LINE, BLOCK];
  const found = texts.flatMap((text) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, command = ""]) => command)),
  );
  return [...new Set(found)].filter((text) => text.trim() !== "").slice(0, MOST);
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  return isRecord(value) ? Object.values(value).flatMap((one) => textsIn(one, depth + 1)) : [];
}
