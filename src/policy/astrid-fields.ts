import type { LifecycleEvent } from "./lifecycle-events.ts";

type Fields = Readonly<Record<string, string>>;

const TOOL = { toolName: "tool_name", toolInput: "arguments", output: "result" };
const ONCE_CALLED = { toolName: "tool_name", toolInput: "arguments" };

/** Astrid's own name for each field of an event's input, even if it is the same. */
const ASTRID_FIELDS: { readonly [E in LifecycleEvent]?: Fields } = {
  "session.start": { source: "source", model: "model" },
  "session.end": { reason: "reason" },
  "prompt.submit": { prompt: "input" },
  "prompt.received": { prompt: "content" },
  "context.build": { prompt: "prompt" },
  "model.resolve": { model: "model" },
  "message.before": { message: "content" },
  "message.after": { message: "content" },
  "loop.end": { lastMessage: "response" },
  "tool.after": TOOL,
  "tool.failure": { ...ONCE_CALLED, error: "error" },
  "tool.persist": TOOL,
  "approval.before": ONCE_CALLED,
  "approval.after": { ...ONCE_CALLED, reason: "reason" },
  "compact.before": { trigger: "trigger" },
  "compact.after": { trigger: "trigger", summary: "summary" },
  "subagent.start": { type: "subagent_type" },
  "subagent.stop": { type: "subagent_type", lastMessage: "result" },
  notify: { message: "message", type: "type" },
};

export function astridFieldsOf(event: LifecycleEvent): Fields {
  return ASTRID_FIELDS[event] ?? {};
}

/** The fields of Astrid's events that aren't part of their input. */
export const ASTRID_ENVELOPE: readonly string[] = ["invocation_id", "timestamp", "previous_results", "user_id"];
