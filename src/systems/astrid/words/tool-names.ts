import { ownNames } from "../../../policy/own-tools.ts";

/** A tool as Astrid names it. */
export interface ToolNames {
  tool_name: string;
  server_name?: string;
}

export interface AskedTool {
  runtime: string;
  /** The name by which all agents know it. */
  canonical: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * How Astrid's hooks know a tool, the usual way first: in Astrid as it was told; elsewhere a server's tool goes by its own name,
 * and every other one is of the server `builtin`.
 */
export function toolNamesOf({ runtime, canonical, metadata = {} }: AskedTool): readonly ToolNames[] {
  const { tool_name: told, server_name: server } = metadata;
  if (runtime === "astrid") {
    const tool_name = typeof told === "string" ? told : canonical;
    return [{ tool_name, ...(typeof server === "string" ? { server_name: server } : {}) }];
  }
  const [, named, tool] = /^mcp__(.+?)__(.+)$/su.exec(canonical) ?? [];
  if (named !== undefined && tool !== undefined) return [{ tool_name: tool, server_name: named }];
  return ownNames("astrid", { runtime, canonical, told: canonical }).map((tool_name) => {
    return { tool_name, server_name: "builtin" };
  });
}
