import type { ToolPolicyEvent } from "../policy/event.ts";

/** What is matched of each tool's input. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["Bash", "command"],
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["Write", "file_path"],
  ["Read", "file_path"],
  ["Glob", "pattern"],
  ["Grep", "pattern"],
  ["NotebookEdit", "notebook_path"],
  ["Task", "prompt"],
  ["WebFetch", "url"],
  ["WebSearch", "query"],
]);

export function fieldOf(toolName: string): string {
  return FIELDS.get(toolName) ?? "command";
}

/** The text of a field; the whole input as JSON where there is no such field. */
export function textOf({ input }: ToolPolicyEvent, field: string): string {
  const value = isRecord(input) && Object.hasOwn(input, field) ? input[field] : undefined;
  if (typeof value === "string") return value;
  if (field === "command" && isWords(value)) return shellTextOf(value);
  return JSON.stringify(value ?? input ?? null);
}

/** The shell text of a call; null when it has none. Some agents send the words of a command instead of a text. */
export function commandTextOf({ input }: ToolPolicyEvent): string | null {
  const value = isRecord(input) ? input["command"] : undefined;
  if (typeof value === "string") return value;
  return isWords(value) ? shellTextOf(value) : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function shellTextOf(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
