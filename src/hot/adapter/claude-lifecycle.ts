import { quoteJson } from "../primordials.ts";
import type { PresentedLifecycleVerdict } from "./adapter.ts";
import { type LifecycleEventFormats, MAY_HOLD, MAY_INJECT, REPORT_ONLY } from "./lifecycle-format.ts";

/** The moments that other agents took over unchanged from Claude Code. */
export const CLAUDE_FORMATS = {
  "session.start": { name: "SessionStart", ...MAY_INJECT, fields: { source: "source", model: "model" } },
  "session.end": { name: "SessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
  "prompt.submit": { name: "UserPromptSubmit", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
  "approval.before": {
    name: "PermissionRequest",
    ...MAY_HOLD,
    fields: { toolName: "tool_name", toolInput: "tool_input" },
  },
  "tool.after": {
    name: "PostToolUse",
    ...MAY_INJECT,
    fields: { toolName: "tool_name", toolInput: "tool_input", output: "tool_response" },
  },
  // Claude Code keeps a turn going if it gets text for the model; Codex drops such text.
  "turn.stop": { name: "Stop", ...MAY_HOLD, shows: true, fields: { lastMessage: "last_assistant_message" } },
  "subagent.start": { name: "SubagentStart", ...MAY_INJECT, fields: { type: "agent_type", agentId: "agent_id" } },
  "subagent.stop": {
    name: "SubagentStop",
    ...MAY_HOLD,
    fields: { type: "agent_type", agentId: "agent_id", lastMessage: "last_assistant_message" },
  },
} as const satisfies LifecycleEventFormats;

/** The fields of an answer that holds the event: a permission is refused, everything else is blocked. */
export function fieldsOfHold(name: string, reason: string): string {
  return name === "PermissionRequest"
    ? `,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":${quoteJson(reason)}}}`
    : `,"decision":"block","reason":${quoteJson(reason)}`;
}

/** The field of an answer that tells the person something; "" for nothing. */
export function fieldOfNotice({ powers, action, context, notice }: PresentedLifecycleVerdict): string {
  const shown = powers.shows && action === "allow" ? context : null;
  const text = shown === null || notice === null ? (shown ?? notice) : `${shown}\n${notice}`;
  return text === null ? "" : `,"systemMessage":${quoteJson(text)}`;
}

/** The fields of an answer that tells the model something. */
export function fieldsOfContext(name: string, context: string): string {
  return `,"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":${quoteJson(context)}}`;
}
