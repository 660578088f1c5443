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
  requireInput,
  requirePhase,
  requireTool,
} from "../../../hook-base/adapter/tool-call.ts";
import { NATIVE_TOOLS } from "../../../policy/dialect-names.ts";
import type { Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = { PreToolUse: "pre-tool", PostToolUse: "post-tool" };

const CANONICAL: Readonly<Record<string, string>> = NATIVE_TOOLS.arawn;

/**
 * Arawn's hooks say no with their exit code; the launcher makes an exit code of this text.
 */
export const arawn: Adapter = {
  runtime: "arawn",
  title: "Arawn",
  can: ableTo("deny", "after-call"),
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `${text}\n`,
  takeInput: (text) => text,
};

/** A plugin's hook gets `tool` and `params`; a hook in the newest settings gets `tool_name` and `tool_input`. */
function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { tool, params, result, hook_event, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event !== undefined) requirePhase(hook_event, phase, PHASES);
  const name = requireTool(tool ?? tool_name, "name of a tool");
  const toolName = canonicalOf(name, CANONICAL);
  return describeCall({
    tool: name,
    toolName,
    input: requireInput(params ?? tool_input, "params that aren't an object"),
    output: result ?? tool_response,
    cwd,
    sessionId: session_id,
    metadata: toolName === name ? others : { ...others, tool_name: name },
  });
}

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  // Without a text nobody would block the call.
  return { text: `${reason.trim() === "" ? "a policy of this project blocks the call" : reason}\n`, effective: "deny" };
}
