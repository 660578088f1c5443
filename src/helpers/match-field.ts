import type { ToolPolicyEvent } from "../policy/event.ts";
import { absolutePath, MATCHED_FIELDS, spellingsIn } from "../policy/tools.ts";
import { isMapping } from "./is-type.ts";

export function matchedFieldOf(toolName: string): string {
  return MATCHED_FIELDS.get(toolName) ?? "command";
}

/** The text of a field; the whole input as JSON if the field is missing or occurs more than once. */
export function matchedTextOf(event: ToolPolicyEvent, field: string): string {
  const [text = "", ...others] = textsOf(event, field);
  return others.length === 0 ? text : JSON.stringify(event.input);
}

/** The texts that a pattern is compared with: a path both as it is written and resolved. */
export function readingsOf(event: ToolPolicyEvent, field: string): string[] {
  const texts = textsOf(event, field);
  if (field !== "file_path" || !isMapping(event.input) || spellingsIn(event.input, field).length === 0) return texts;
  return texts.flatMap((text) => [text, absolutePath(text, event.cwd)]);
}

/** The text under each of the agents' names for the field; the whole input as JSON if it has none of them. */
function textsOf({ input }: ToolPolicyEvent, field: string): string[] {
  const values = isMapping(input) ? spellingsIn(input, field).map((name) => input[name]) : [];
  if (values.length === 0) return [JSON.stringify(input ?? null)];
  return values.map((value) => {
    if (typeof value === "string") return value;
    return field === "command" && isWords(value) ? shellTextOf(value) : JSON.stringify(value ?? input);
  });
}

/** The shell text of a call; null: it has none. Some agents send a command's words instead of a text. */
export function commandTextOf({ input }: ToolPolicyEvent): string | null {
  const value = isMapping(input) ? input["command"] : undefined;
  if (typeof value === "string") return value;
  return isWords(value) ? shellTextOf(value) : null;
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function shellTextOf(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
