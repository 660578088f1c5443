/** A tool as Astrid names it. */
export interface ToolNames {
  tool_name: string;
  server_name: string;
}

/** A server's tool goes by its own name, and every other one is of the server `builtin`. The agent's own name of a tool counts first. */
export function toolNamesOf(toolName: string, metadata: Readonly<Record<string, unknown>> = {}): ToolNames {
  const own = typeof metadata["tool_name"] === "string" ? metadata["tool_name"] : toolName;
  const [, server = "builtin", tool = own] = /^mcp__(.+?)__(.+)$/su.exec(own) ?? [];
  return { tool_name: tool, server_name: server };
}
