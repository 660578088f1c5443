/** Every event that Astrid has, by its name in files and on the wire. */
export const HOOK_EVENTS = [
  "session_start",
  "session_end",
  "session_reset",
  "user_prompt",
  "prompt_build",
  "model_resolve",
  "message_received",
  "message_send",
  "message_sent",
  "agent_loop_end",
  "pre_tool_call",
  "post_tool_call",
  "tool_error",
  "tool_result_persist",
  "pre_approval",
  "post_approval",
  "pre_compact",
  "post_compact",
  "subagent_start",
  "subagent_stop",
  "notification",
  "kernel_start",
  "kernel_stop",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export function isHookEvent(name: unknown): name is HookEvent {
  return HOOK_EVENTS.some((event) => event === name);
}
