import { canonicalOf, errorOf, type ToolError } from "../../../hot/adapter/tool-call.ts";

export const GEMINI_TOOLS: Readonly<Record<string, string>> = {
  activate_skill: "Skill",
  glob: "Glob",
  google_web_search: "WebSearch",
  grep_search: "Grep",
  invoke_agent: "Agent",
  list_directory: "LS",
  read_file: "Read",
  replace: "Edit",
  run_shell_command: "Bash",
  search_file_content: "Grep",
  web_fetch: "WebFetch",
  write_file: "Write",
  write_todos: "TodoWrite",
};

/**
 * A tool of an MCP server is called `mcp_<server>_<tool>`, which doesn't show where the server's name ends; its context
 * does.
 */
export function geminiCanonicalName(tool: string, context: unknown): string {
  if (typeof context === "object" && context !== null && "server_name" in context && "tool_name" in context) {
    const { server_name: server, tool_name: name } = context;
    if (typeof server === "string" && typeof name === "string") return `mcp__${server}__${name}`;
  }
  return canonicalOf(tool, GEMINI_TOOLS);
}

/** The failure that a result reports; undefined: the call didn't fail. */
export function errorIn(response: unknown): ToolError | undefined {
  if (typeof response !== "object" || response === null || !("error" in response)) return undefined;
  const { error } = response;
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
  return errorOf(message ?? error);
}
