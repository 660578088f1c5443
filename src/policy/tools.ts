import type { ToolPolicyEvent } from "./event.ts";

/** What the common tools are called with, by their canonical names. */
export interface ToolInputs {
  Bash: { command: string };
  Edit: { file_path: string; old_string: string; new_string: string };
  Glob: { pattern: string };
  Grep: { pattern: string };
  Read: { file_path: string };
  WebFetch: { url: string };
  WebSearch: { query: string };
  Write: { file_path: string; content: string };
}

export type CommonTool = keyof ToolInputs;

/** By tool, the fields that a call of it must have. */
const FIELDS: { readonly [T in CommonTool]: readonly (keyof ToolInputs[T] & string)[] } = {
  Bash: ["command"],
  Edit: ["file_path", "old_string", "new_string"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  Read: ["file_path"],
  WebFetch: ["url"],
  WebSearch: ["query"],
  Write: ["file_path", "content"],
};

/** How agents spell a field; the canonical name first. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  file_path: ["file_path", "filePath", "absolute_path", "path"],
  old_string: ["old_string", "oldString", "old_str"],
  new_string: ["new_string", "newString", "new_str"],
  content: ["content", "file_text"],
};

/**
 * What a common tool is called with, whatever the agent calls its fields: `inputOf(event, "Bash")?.command`. undefined where
 * the event is a call of another tool. Throws a `TypeError` where the fields are missing or are no text: an enforcement policy
 * then blocks the call, which it could not judge.
 */
export function inputOf<T extends CommonTool>(event: ToolPolicyEvent, tool: T): ToolInputs[T] | undefined {
  if (event.toolName !== tool) return undefined;
  const given = event.input;
  if (typeof given !== "object" || given === null) throw new TypeError(`${tool} was called without an input`);
  const fields: Record<string, unknown> = {};
  for (const field of FIELDS[tool]) fields[field] = readField(given, tool, field);
  return fields as ToolInputs[T];
}

function readField(given: object, tool: string, field: string): string {
  for (const spelling of SPELLINGS[field] ?? [field]) {
    const value: unknown = Reflect.get(given, spelling);
    if (typeof value === "string") return value;
  }
  throw new TypeError(`${tool} was called without ${field}`);
}
