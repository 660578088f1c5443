import {
  ableTo,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
} from "../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter } from "../../hook-base/adapter/call-adapter.ts";
import {
  createLifecycleAdapter,
  fieldsOfContext,
  fieldsOfHold,
  REPORT_ONLY,
} from "../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson, sliceText } from "../../hook-base/primordials.ts";
import { claudeCodeFormats, claudeViews } from "../claude-code/adapter.ts";

/** Qwen Code is a fork of Gemini CLI with the events of Claude Code, and tools of both under its own names. */
const QWEN_TOOLS: Readonly<Record<string, string>> = {
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

/** The lifecycle events that Qwen Code reports, most of them as Claude Code does. */
export const qwenLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    ...claudeCodeFormats(),
    // Qwen Code also reports an empty prompt after each call.
    "prompt.submit": { ...claudeCodeFormats()["prompt.submit"], isAnother: ({ prompt }) => prompt === "" },
    // Only agents whose own text has a place for it get what a hook says.
    "subagent.start": { ...claudeCodeFormats()["subagent.start"], ...REPORT_ONLY },
    "turn.stop": { ...claudeCodeFormats()["turn.stop"], shows: false },
    "compact.before": { ...claudeCodeFormats()["compact.before"], ...REPORT_ONLY },
  },
  others: [
    "InstructionsLoaded",
    "MessageDisplay",
    "PermissionDenied",
    "PostToolBatch",
    "SessionDelete",
    "StopFailure",
    "TodoCompleted",
    "TodoCreated",
    "UserPromptExpansion",
  ],
  canonicalTools: QWEN_TOOLS,
  encode: encodeLifecycle,
}));

/** Says nothing to let an event proceed. */
function encodeLifecycle({ powers: { name, injects }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  const told = context !== null && injects ? fieldsOfContext(name, context) : "";
  const fields = action === "allow" ? told : fieldsOfHold(name, reason);
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
