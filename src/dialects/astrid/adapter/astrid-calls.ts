import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import {
  canonicalOf,
  describeCall,
  errorOf,
  requireInput,
  requirePhase,
  requireTool,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { BrokenEvent } from "../../../hook-base/read-input.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import { NATIVE_TOOLS } from "../../../policy/dialect-names.ts";
import type { Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  pre_tool_call: "pre-tool",
  post_tool_call: "post-tool",
  tool_error: "post-tool",
};

const CANONICAL: Readonly<Record<string, string>> = NATIVE_TOOLS.astrid;

/** The server that Astrid names for its own tools. */
const BUILT_IN = "builtin";

/** Astrid's protocol has a field for changed arguments, but no known version heeds it. So a rewrite blocks the call. */
export const astrid: Adapter = {
  runtime: "astrid",
  title: "Astrid",
  can: ableTo("deny", "ask", "after-call", "after-failure"),
  onlyIf: { ask: "its version waits for the answer" },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"action":"block","reason":${quoteJson(text)}}\n`,
  takeInput: (text) => text,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { event, data, session_id, ...others } = wire;
  requirePhase(event, phase, PHASES);
  if (!isRecord(data)) throw new BrokenEvent("has no object in data");
  const { tool_name, server_name, arguments: input = {}, result, error, is_error, ...rest } = data;
  const tool = requireTool(tool_name, "tool_name");
  const toolName = canonicalOf(serverToolName(tool, server_name), CANONICAL);
  return describeCall({
    tool,
    toolName,
    input: requireInput(input, "arguments"),
    output: result,
    error: event === "tool_error" || is_error === true ? errorOf(error ?? "the tool failed") : undefined,
    cwd: undefined,
    sessionId: session_id,
    metadata: { ...others, ...rest, tool_name, ...(server_name === undefined ? {} : { server_name }) },
  });
}

/** The name that other agents give a server's tool. */
export function serverToolName(tool: string, server: unknown): string {
  return typeof server === "string" && server !== "" && server !== BUILT_IN ? `mcp__${server}__${tool}` : tool;
}

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  if (action === "ask") {
    return { text: `{"action":"ask","question":${quoteJson(reason)},"default":null}\n`, effective: "ask" };
  }
  return { text: `{"action":"block","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}
