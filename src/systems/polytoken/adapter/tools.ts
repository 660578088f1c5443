import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";

/** Whatever edits files is `file_edit_` and how it does so. */
export function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}
