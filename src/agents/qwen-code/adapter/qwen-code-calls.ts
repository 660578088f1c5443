import { ableTo, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter } from "../../../hook-base/adapter/call-adapter.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { claudeViews } from "../../claude-code/adapter/claude-code-calls.ts";

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
export const qwenCode = callAdapter({
  runtime: "qwen-code",
  title: "Qwen Code",
  can: ableTo("deny", "ask", "after-call", "after-failure"),
  canonicalTools: QWEN_TOOLS,
  phases: { PreToolUse: "pre-tool", PostToolUse: "post-tool", PostToolUseFailure: "post-tool" },
  fields: { ...CLAUDE_FIELDS, error: "error", call: "tool_call_id" },
  // Hooks get the call in a `tool_call` as if the model had made it itself, with its paths as the tool takes them.
  views: ({ toolName, input }) => claudeViews(toolName, input),
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
});

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
