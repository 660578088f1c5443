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
