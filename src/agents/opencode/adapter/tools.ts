import { mcpNames } from "../../../hot/adapter/tool-call.ts";

export const OPENCODE_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  list: "LS",
  read: "Read",
  skill: "Skill",
  task: "Agent",
  todowrite: "TodoWrite",
  webfetch: "WebFetch",
  websearch: "WebSearch",
  write: "Write",
};

/** The tools that take a patch. */
export const PATCHES: ReadonlySet<string> = new Set(["apply_patch", "patch"]);

/** A tool of an MCP server is called `<server>_<tool>`. */
export function opencodeMcpNames(tool: string): string[] {
  return PATCHES.has(tool) ? [] : mcpNames(tool, "_");
}
