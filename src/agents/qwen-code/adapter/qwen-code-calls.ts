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
import { claudeViews } from "../../claude-code/adapter/claude-code-calls.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  PostToolUseFailure: "post-tool",
};

/** Qwen Code is a fork of Gemini CLI with the events of Claude Code, and tools of both under its own names. */
export const QWEN_TOOLS: Readonly<Record<string, string>> = {
  agent: "Agent",
  artifact: "Artifact",
  ask_user_question: "AskUserQuestion",
  create_sub_session: "Agent",
  display_image: "Read",
  edit: "Edit",
  glob: "Glob",
  grep_search: "Grep",
  list_directory: "LS",
  lsp: "LSP",
  monitor: "Bash",
  notebook_edit: "NotebookEdit",
  read_file: "Read",
  read_mcp_resource: "ReadMcpResourceTool",
  run_shell_command: "Bash",
  skill: "Skill",
  todo_write: "TodoWrite",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
  write_file: "Write",
  zoom_image: "Read",
};

/** Qwen Code drops what a hook says before a call except for a decision: it takes no other input, and no context. */
export const qwenCode: Adapter = {
  runtime: "qwen-code",
  title: "Qwen Code",
  can: ableTo("deny", "ask", "after-call", "after-failure"),
  canonicalTools: QWEN_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

/** Hooks get the call in a `tool_call` as if the model had made it itself, with its paths as the tool takes them. */
function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, error, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const input = requireInput(tool_input, "a tool_input that isn't an object");
  const toolName = canonicalOf(tool, QWEN_TOOLS);
  return describeCall({
    tool,
    toolName,
    input,
    views: claudeViews(toolName, input),
    output: tool_response,
    error: errorOf(error),
    cwd,
    sessionId: session_id,
    callId: others["tool_call_id"],
    metadata: toolName === tool ? others : { ...others, tool_name },
  });
}

/**
 * If several hooks answer, Qwen Code takes `permissionDecision` of the last one, and that of a skill's hook comes last:
 * only `continue` holds the call whatever others say.
 */
function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: action };
  const said = quoteJson(reason);
  const held = action === "deny" ? `"continue":false,"stopReason":${said},` : "";
  const decision = `"hookEventName":"PreToolUse","permissionDecision":"${action}","permissionDecisionReason":${said}`;
  return { text: `{${held}"hookSpecificOutput":{${decision}}}\n`, effective: action };
}
