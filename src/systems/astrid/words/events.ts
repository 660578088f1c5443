/** Every event of Astrid's, by its name in files and on the wire. */
export const ASTRID_HOOK_EVENTS = [
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

export type AstridEvent = (typeof ASTRID_HOOK_EVENTS)[number];

export function isAstridEvent(name: unknown): name is AstridEvent {
  return ASTRID_HOOK_EVENTS.some((event) => event === name);
}
