/** Which field of a tool's input hooker's patterns are held against, where a policy names none; `command` for any other tool. */
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
