import { mcpNames } from "../../../hot/adapter/tool-call.ts";

export const COPILOT_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  create: "Write",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  rg: "Grep",
  skill: "Skill",
  str_replace_editor: "Edit",
  task: "Agent",
  view: "Read",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
};

/** A tool of an MCP server is called `<server>-<tool>`. */
export function copilotMcpNames(tool: string): string[] {
  return mcpNames(tool, "-");
}
