import { quoteJson } from "../primordials.ts";
import type { MomentSaying } from "./adapter.ts";
import { HOLDS, INJECTS, type MomentFormats, WATCHED } from "./moment-format.ts";

/** The moments that other agents took over unchanged from Claude Code. */
export const CLAUDE_FORMATS = {
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
  // Claude Code keeps a turn going if it gets text for the model; Codex drops such text.
  "turn.stop": { name: "Stop", ...HOLDS, shows: true, fields: { lastMessage: "last_assistant_message" } },
  "subagent.start": { name: "SubagentStart", ...INJECTS, fields: { type: "agent_type", agentId: "agent_id" } },
  "subagent.stop": {
    name: "SubagentStop",
    ...HOLDS,
    fields: { type: "agent_type", agentId: "agent_id", lastMessage: "last_assistant_message" },
  },
} as const satisfies MomentFormats;

/** The fields of an answer that holds the event: a permission is refused, everything else is blocked. */
export function fieldsOfHold(name: string, reason: string): string {
  return name === "PermissionRequest"
    ? `,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":${quoteJson(reason)}}}`
    : `,"decision":"block","reason":${quoteJson(reason)}`;
}

/** The field of an answer that tells the person something; "" for nothing. */
export function fieldOfNotice({ at, action, context, notice }: MomentSaying): string {
  const shown = at.shows && action === "allow" ? context : null;
  const text = shown === null || notice === null ? (shown ?? notice) : `${shown}\n${notice}`;
  return text === null ? "" : `,"systemMessage":${quoteJson(text)}`;
}

/** The fields of an answer that tells the model something. */
export function fieldsOfContext(name: string, context: string): string {
  return `,"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":${quoteJson(context)}}`;
}
