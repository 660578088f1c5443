import {
  ableTo,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter } from "../../hook-base/adapter/call-adapter.ts";
import { createLifecycleAdapter, MAY_HOLD, MAY_INJECT, REPORT_ONLY } from "../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../../hook-base/primordials.ts";

const CURSOR_TOOLS: Readonly<Record<string, string>> = { Shell: "Bash" };

/**
 * Follows Cursor's documentation; the program was not run here. What the documentation leaves open counts as something
 * that Cursor cannot do, so that drwn promises nothing that may not hold.
 */
export const cursor = callAdapter({
  runtime: "cursor",
  title: "Cursor",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: CURSOR_TOOLS,
  phases: { preToolUse: "pre-tool", postToolUse: "post-tool", postToolUseFailure: "post-tool" },
  fields: { ...CLAUDE_FIELDS, output: "tool_output", error: "error_message", session: "conversation_id" },
  folderIn: folderOf,
  encode,
  encodeCanary: (text) => `{"user_message":${quoteJson(text)}}\n`,
});

function encode({ action, reason, notice = null }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  const said = quoteJson(reason);
  const shown = notice === null ? said : quoteJson(`${reason}\n${notice}`);
  return { text: `{"permission":"deny","user_message":${shown},"agent_message":${said}}\n`, effective: "deny" };
}

/** The folder that an event names, otherwise the first folder of the workspace. */
function folderOf({ cwd, workspace_roots: roots }: Wire): string | undefined {
  const folder: unknown = typeof cwd === "string" || !Array.isArray(roots) ? cwd : roots[0];
  return typeof folder === "string" ? folder : undefined;
}

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;
const SUBAGENT = { type: "subagent_type", agentId: "subagent_id" } as const;

/** The lifecycle events that Cursor reports according to its documentation; the program was not run here. */
export const cursorLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    "session.start": { name: "sessionStart", ...MAY_INJECT, fields: { model: "model" } },
    "session.end": { name: "sessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "beforeSubmitPrompt", ...MAY_HOLD, fields: { prompt: "prompt" } },
    "tool.after": { name: "postToolUse", ...MAY_INJECT, fields: { ...TOOL, output: "tool_output" } },
    "tool.failure": { name: "postToolUseFailure", ...REPORT_ONLY, fields: { ...TOOL, error: "error_message" } },
    "message.after": { name: "afterAgentResponse", ...REPORT_ONLY, fields: { message: "text" } },
    "turn.stop": { name: "stop", ...MAY_HOLD, fields: {} },
    "subagent.start": { name: "subagentStart", ...REPORT_ONLY, fields: SUBAGENT },
    "subagent.stop": { name: "subagentStop", ...REPORT_ONLY, fields: { ...SUBAGENT, lastMessage: "summary" } },
    "compact.before": { name: "preCompact", ...REPORT_ONLY, fields: { trigger: "trigger" } },
  },
  others: ["afterAgentThought", "afterFileEdit", "afterMCPExecution", "afterShellExecution"],
  canonicalTools: CURSOR_TOOLS,
  envelope: { event: "hook_event_name", session: "conversation_id", folder: folderOf },
  isContinued: ({ loop_count: count }) => (typeof count === "number" ? count > 0 : null),
  encode: encodeLifecycle,
}));

/** `continue: false` holds a prompt; a follow-up message holds the end of a turn. */
function encodeLifecycle({ powers: { name }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") {
    const said = quoteJson(reason);
    const text = name === "stop" ? `{"followup_message":${said}}\n` : `{"continue":false,"user_message":${said}}\n`;
    return { text, effective: action };
  }
  return { text: context === null ? "" : `{"additional_context":${quoteJson(context)}}\n`, effective: action };
}
