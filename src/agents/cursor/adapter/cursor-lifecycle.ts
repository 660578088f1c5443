import type { PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  createLifecycleAdapter,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { CURSOR_TOOLS, folderOf } from "./cursor-calls.ts";

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;
const SUBAGENT = { type: "subagent_type", agentId: "subagent_id" } as const;

/** The lifecycle events that Cursor reports according to its documentation; the program was not run here. */
export const cursorLifecycle = createLifecycleAdapter({
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
  encode,
});

/** `continue: false` holds a prompt; a follow-up message holds the end of a turn. */
function encode({ powers: { name }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") {
    const said = quoteJson(reason);
    const text = name === "stop" ? `{"followup_message":${said}}\n` : `{"continue":false,"user_message":${said}}\n`;
    return { text, effective: action };
  }
  return { text: context === null ? "" : `{"additional_context":${quoteJson(context)}}\n`, effective: action };
}
