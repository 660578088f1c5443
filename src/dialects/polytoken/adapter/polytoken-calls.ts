import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import {
  describeCall,
  errorOf,
  requireInput,
  requirePhase,
  requireTool,
} from "../../../hook-base/adapter/tool-call.ts";
import { nodeProcess, quoteJson } from "../../../hook-base/primordials.ts";
import type { Phase } from "../../../policy/event.ts";
import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  pre_tool_use: "pre-tool",
  post_tool_use: "post-tool",
  post_tool_use_failure: "post-tool",
};

/** Polytoken's hooks say yes or no: an outcome that lets a tool run has no fields. */
export const polytoken: Adapter = {
  runtime: "polytoken",
  title: "Polytoken",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: POLYTOKEN_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"outcome":"deny","reason":${quoteJson(text)}}\n`,
  takeInput: (text) => text,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { event, tool_name, input, output, error, cwd, session_id, ...others } = wire;
  requirePhase(event, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const toolName = polytokenCanonicalName(tool);
  return describeCall({
    tool,
    toolName,
    input: requireInput(input, "an input that isn't an object"),
    output,
    error: event === "post_tool_use_failure" ? errorOf(error ?? "the tool failed") : undefined,
    // Polytoken's events name no folder; its environment does.
    cwd: cwd ?? (nodeProcess.env["POLYTOKEN_PROJECT_DIR"] || undefined),
    sessionId: session_id,
    metadata: toolName === tool ? others : { ...others, tool_name },
  });
}

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  return { text: `{"outcome":"deny","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}

/** Tools that edit files are called `file_edit_` and their way to do it. */
export function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}
