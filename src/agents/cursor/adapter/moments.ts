import type { MomentSaying, Reply } from "../../../hot/adapter/adapter.ts";
import { createMoments, HOLDS, INJECTS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { CURSOR_TOOLS, folderOf } from "./tools.ts";

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;
const SUBAGENT = { type: "subagent_type", agentId: "subagent_id" } as const;

/** The moments that Cursor reports according to its documentation; the program was not run here. */
export const cursorMoments = createMoments({
  formats: {
    "session.start": { name: "sessionStart", ...INJECTS, fields: { model: "model" } },
    "session.end": { name: "sessionEnd", ...WATCHED, fields: { reason: "reason" } },
    "prompt.submit": { name: "beforeSubmitPrompt", ...HOLDS, fields: { prompt: "prompt" } },
    "tool.after": { name: "postToolUse", ...INJECTS, fields: { ...TOOL, output: "tool_output" } },
    "tool.failure": { name: "postToolUseFailure", ...WATCHED, fields: { ...TOOL, error: "error_message" } },
    "message.after": { name: "afterAgentResponse", ...WATCHED, fields: { message: "text" } },
    "turn.stop": { name: "stop", ...HOLDS, fields: {} },
    "subagent.start": { name: "subagentStart", ...WATCHED, fields: SUBAGENT },
    "subagent.stop": { name: "subagentStop", ...WATCHED, fields: { ...SUBAGENT, lastMessage: "summary" } },
    "compact.before": { name: "preCompact", ...WATCHED, fields: { trigger: "trigger" } },
  },
  others: ["afterAgentThought", "afterFileEdit", "afterMCPExecution", "afterShellExecution"],
  canonicalTools: CURSOR_TOOLS,
  envelope: { event: "hook_event_name", session: "conversation_id", folder: folderOf },
  isContinued: ({ loop_count: count }) => (typeof count === "number" ? count > 0 : null),
  encode,
});

/** `continue: false` holds a prompt; a follow-up message holds the end of a turn. */
function encode({ at: { name }, action, reason, context }: MomentSaying): Reply {
  if (action !== "allow") {
    const said = quoteJson(reason);
    const text = name === "stop" ? `{"followup_message":${said}}\n` : `{"continue":false,"user_message":${said}}\n`;
    return { text, effective: action };
  }
  return { text: context === null ? "" : `{"additional_context":${quoteJson(context)}}\n`, effective: action };
}
