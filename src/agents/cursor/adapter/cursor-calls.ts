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
  takeObject,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import type { Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  preToolUse: "pre-tool",
  postToolUse: "post-tool",
  postToolUseFailure: "post-tool",
};

export const CURSOR_TOOLS: Readonly<Record<string, string>> = { Shell: "Bash" };

/**
 * Follows Cursor's documentation; the program was not run here. What the documentation leaves open counts as something
 * that Cursor cannot do, so that drwn promises nothing that may not hold.
 */
export const cursor: Adapter = {
  runtime: "cursor",
  title: "Cursor",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: CURSOR_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"user_message":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, conversation_id, ...others } = wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const { cwd: _, tool_output, error_message, ...metadata } = others;
  const toolName = canonicalOf(tool, CURSOR_TOOLS);
  return describeCall({
    tool,
    toolName,
    input: requireInput(tool_input, "a tool_input that isn't an object"),
    output: tool_output,
    error: errorOf(error_message),
    cwd: folderOf(wire),
    sessionId: conversation_id,
    metadata: toolName === tool ? metadata : { ...metadata, tool_name },
  });
}

function encode({ action, reason, notice = null }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  const said = quoteJson(reason);
  const shown = notice === null ? said : quoteJson(`${reason}\n${notice}`);
  return { text: `{"permission":"deny","user_message":${shown},"agent_message":${said}}\n`, effective: "deny" };
}

/** The folder that an event names, otherwise the first folder of the workspace. */
export function folderOf({ cwd, workspace_roots: roots }: Wire): string | undefined {
  const folder: unknown = typeof cwd === "string" || !Array.isArray(roots) ? cwd : roots[0];
  return typeof folder === "string" ? folder : undefined;
}
