import { nativeNames } from "../../../policy/native-tools.ts";

/** A tool under Astrid's names. */
export interface ToolNames {
  tool_name: string;
  server_name?: string;
}

export interface ToolReference {
  runtime: string;
  /** The name that all agents have for it. */
  canonical: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The names by which Astrid's hooks know a tool, the usual one first. In Astrid, these are the names that it sent.
 * Elsewhere, a server's tool has its own name, and every other tool belongs to the server `builtin`.
 */
export function toolNamesOf({ runtime, canonical, metadata = {} }: ToolReference): readonly ToolNames[] {
  const { tool_name: reported, server_name: server } = metadata;
  if (runtime === "astrid") {
    const tool_name = typeof reported === "string" ? reported : canonical;
    return [{ tool_name, ...(typeof server === "string" ? { server_name: server } : {}) }];
  }
  const [, named, tool] = /^mcp__(.+?)__(.+)$/su.exec(canonical) ?? [];
  if (named !== undefined && tool !== undefined) return [{ tool_name: tool, server_name: named }];
  return nativeNames("astrid", { runtime, canonical, reported: canonical }).map((tool_name) => {
    return { tool_name, server_name: "builtin" };
  });
}
