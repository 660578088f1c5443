import type { ToolPolicyEvent } from "./event.ts";

/** The inputs of the common tools, by their canonical names. */
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

/** The fields that a call of each tool must have. */
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

/** The fields that a call of this tool must have; none if it isn't a common one. */
export function fieldsOf(tool: string): readonly string[] {
  return Object.hasOwn(FIELDS, tool) ? FIELDS[tool as CommonTool] : [];
}

/** How agents spell each field; the canonical name comes first. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  file_path: ["file_path", "filePath", "absolute_path", "path"],
  old_string: ["old_string", "oldString", "old_str"],
  new_string: ["new_string", "newString", "new_str"],
  content: ["content", "file_text"],
};

/** The names for this field that occur in an input. */
export function spellingsIn(input: object, field: string): string[] {
  return (SPELLINGS[field] ?? [field]).filter((name) => Object.hasOwn(input, name));
}

/**
 * The input of a common tool, however the agent spells its fields: `inputOf(event, "Bash")?.command`. `file_path` is
 * absolute if the event names its folder, and has no `.` and `..`; links aren't resolved. undefined: the event is a
 * call of another tool. Throws a `TypeError` if a field is missing, isn't text, or occurs under two names with
 * different values, of which the agent uses one. An enforcement policy then blocks the call, because it cannot judge
 * it.
 */
export function inputOf<T extends CommonTool>(event: ToolPolicyEvent, tool: T): ToolInputs[T] | undefined {
  if (event.toolName !== tool) return undefined;
  const given = event.input;
  if (typeof given !== "object" || given === null) throw new TypeError(`${tool} was called without an input`);
  const fields: Record<string, unknown> = {};
  for (const field of FIELDS[tool]) {
    const value = readField(given, tool, field);
    fields[field] = field === "file_path" ? absolutePath(value, event.cwd) : value;
  }
  return fields as ToolInputs[T];
}

function readField(given: object, tool: string, field: string): string {
  const values = new Set<unknown>(spellingsIn(given, field).map((name) => Reflect.get(given, name)));
  if (values.size > 1) throw new TypeError(`${tool} was called with more than one ${field}`);
  const [value] = values;
  if (typeof value !== "string") throw new TypeError(`${tool} was called without ${field}`);
  return value;
}

/**
 * The path without `.` and `..`; a relative one is resolved against this folder. Throws a `TypeError` for a NUL: no
 * path of a file has one, and agents treat it differently.
 */
export function absolutePath(path: string, folder: string | undefined): string {
  if (path.includes("\0")) throw new TypeError("the path has a NUL in it");
  const whole = path.startsWith("/") || folder === undefined ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return whole.startsWith("/") ? `/${parts.join("/")}` : path;
}

/**
 * The field of a tool's input that hooker's patterns are matched with if a policy names none; `command` for all other
 * tools.
 */
export const MATCHED_FIELDS: ReadonlyMap<unknown, string> = new Map([
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
