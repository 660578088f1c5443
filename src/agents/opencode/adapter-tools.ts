import { mcpNames } from "../adapter-call.ts";

export const CANONICAL_TOOLS: Readonly<Record<string, string>> = {
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
export function namesInMcp(tool: string): string[] {
  return PATCHES.has(tool) ? [] : mcpNames(tool, "_");
}
