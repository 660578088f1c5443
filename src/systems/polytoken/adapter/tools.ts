import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";

/** Tools that edit files are called `file_edit_` and their way to do it. */
export function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}
