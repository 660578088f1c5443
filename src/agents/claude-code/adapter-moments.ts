import { quoteJson } from "../../runtime/primordials.ts";
import type { MomentSaying, Reply } from "../adapter.ts";
import { createMoments } from "../adapter-moments.ts";

const WATCHED = { holds: false, injects: false, transforms: false, asks: false } as const;
const INJECTS = { ...WATCHED, injects: true } as const;
const HOLDS = { ...WATCHED, holds: true } as const;

/** The moments that Claude Code tells of. Of those that nobody else has, it only tells. */
export const claudeMoments = createMoments({
  formats: {
    "session.start": { name: "SessionStart", ...INJECTS, fields: { source: "source", model: "model" } },
    "session.end": { name: "SessionEnd", ...WATCHED, fields: { reason: "reason" } },
    "prompt.submit": { name: "UserPromptSubmit", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "PermissionRequest",
      ...HOLDS,
      fields: { toolName: "tool_name", toolInput: "tool_input" },
    },
    "tool.after": {
      name: "PostToolUse",
      ...INJECTS,
      fields: { toolName: "tool_name", toolInput: "tool_input", output: "tool_response" },
    },
    "tool.failure": {
      name: "PostToolUseFailure",
      ...WATCHED,
      fields: { toolName: "tool_name", toolInput: "tool_input", error: "error" },
    },
    "turn.stop": { name: "Stop", ...HOLDS, fields: { lastMessage: "last_assistant_message" } },
    "subagent.start": { name: "SubagentStart", ...INJECTS, fields: { type: "agent_type", agentId: "agent_id" } },
    "subagent.stop": {
      name: "SubagentStop",
      ...HOLDS,
      fields: { type: "agent_type", agentId: "agent_id", lastMessage: "last_assistant_message" },
    },
    "compact.before": {
      name: "PreCompact",
      ...HOLDS,
      fields: { trigger: "trigger", instructions: "custom_instructions" },
    },
    "compact.after": { name: "PostCompact", ...WATCHED, fields: { trigger: "trigger", summary: "compact_summary" } },
    notify: {
      name: "Notification",
      ...WATCHED,
      fields: { message: "message", title: "title", type: "notification_type" },
    },
  },
  others: [
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "PermissionDenied",
    "PostModelSwitch",
    "PostToolBatch",
    "PreModelSwitch",
    "Setup",
    "StopFailure",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
  ],
  canonicalTools: {},
  encode,
});

/** To proceed is to say nothing: an approval would skip what the user's own permissions ask about. */
function encode({ at: { name }, action, reason, context, notice }: MomentSaying): Reply {
  let fields = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  if (action !== "allow") {
    fields +=
      name === "PermissionRequest"
        ? `,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":${quoteJson(reason)}}}`
        : `,"decision":"block","reason":${quoteJson(reason)}`;
  } else if (context !== null) {
    fields += `,"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":${quoteJson(context)}}`;
  }
  return { text: fields === "" ? "" : `{"continue":true${fields}}\n`, effective: action };
}
