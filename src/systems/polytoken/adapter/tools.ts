/** Polytoken's own names of tools that have a canonical one. */
export const POLYTOKEN_TOOLS: Readonly<Record<string, string>> = {
  file_edit_search_replace: "Edit",
  file_read: "Read",
  file_write: "Write",
  shell_exec: "Bash",
  web_fetch: "WebFetch",
};

/** Whatever edits files is `file_edit_` and how it does so. */
export function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}
