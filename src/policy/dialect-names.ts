import type { CanonicalEvent, LifecycleEvent } from "./lifecycle-events.ts";

/** The systems whose events the taxonomy names. */
export const HOOK_SYSTEMS = ["claude-code", "codex", "polytoken", "astrid", "arawn", "hooker"] as const;
type HookSystem = (typeof HOOK_SYSTEMS)[number];

type Names = Readonly<Record<string, CanonicalEvent>>;

/** Each system's own names for its events. No two names of one system mean the same event. */
export const EVENT_NAMES: Readonly<Record<HookSystem, Names>> = {
  "claude-code": {
    Notification: "notify",
    PermissionRequest: "approval.before",
    PostCompact: "compact.after",
    PostToolUse: "tool.after",
    PostToolUseFailure: "tool.failure",
    PreCompact: "compact.before",
    PreToolUse: "tool.before",
    SessionEnd: "session.end",
    SessionStart: "session.start",
    Stop: "turn.stop",
    SubagentStart: "subagent.start",
    SubagentStop: "subagent.stop",
    UserPromptExpansion: "prompt.expand",
    UserPromptSubmit: "prompt.submit",
  },
  codex: {
    PermissionRequest: "approval.before",
    PostCompact: "compact.after",
    PostToolUse: "tool.after",
    PreCompact: "compact.before",
    PreToolUse: "tool.before",
    SessionEnd: "session.end",
    SessionStart: "session.start",
    Stop: "turn.stop",
    SubagentStart: "subagent.start",
    SubagentStop: "subagent.stop",
    UserPromptSubmit: "prompt.submit",
  },
  polytoken: {
    facet_switch: "facet.switch",
    notification: "notify",
    post_compaction: "compact.after",
    post_model_turn: "model.after",
    post_tool_use: "tool.after",
    post_tool_use_failure: "tool.failure",
    pre_compaction: "compact.before",
    pre_model_turn: "model.before",
    pre_tool_use: "tool.before",
    pre_user_prompt: "prompt.submit",
    session_start: "session.start",
    stop: "turn.stop",
    subagent_start: "subagent.start",
    subagent_stop: "subagent.stop",
  },
  astrid: {
    agent_loop_end: "loop.end",
    kernel_start: "host.start",
    kernel_stop: "host.stop",
    message_received: "prompt.received",
    message_send: "message.before",
    message_sent: "message.after",
    model_resolve: "model.resolve",
    notification: "notify",
    post_approval: "approval.after",
    post_compact: "compact.after",
    post_tool_call: "tool.after",
    pre_approval: "approval.before",
    pre_compact: "compact.before",
    pre_tool_call: "tool.before",
    prompt_build: "context.build",
    session_end: "session.end",
    session_reset: "session.reset",
    session_start: "session.start",
    subagent_start: "subagent.start",
    subagent_stop: "subagent.stop",
    tool_error: "tool.failure",
    tool_result_persist: "tool.persist",
    user_prompt: "prompt.submit",
  },
  arawn: {
    Notification: "notify",
    PermissionDenied: "approval.after",
    PermissionRequest: "approval.before",
    PostCompact: "compact.after",
    PostToolUse: "tool.after",
    PostToolUseFailure: "tool.failure",
    PreCompact: "compact.before",
    PreToolUse: "tool.before",
    SessionEnd: "session.end",
    SessionStart: "session.start",
    Setup: "host.start",
    Stop: "turn.stop",
    SubagentCompleted: "subagent.stop",
    SubagentStarted: "subagent.start",
    UserPromptSubmit: "prompt.submit",
  },
  hooker: { PreToolUse: "tool.before", UserPromptSubmit: "prompt.submit" },
};

/** The event that a system means by this name; `other.<name>` if the taxonomy lacks it. */
export function eventNamed(system: HookSystem, name: string): LifecycleEvent {
  const names = EVENT_NAMES[system];
  const canonical = Object.hasOwn(names, name) ? names[name] : undefined;
  return canonical ?? `other.${name}`;
}

/** The system's own name for this event; undefined: it does not have the event. */
export function nameIn(system: HookSystem, event: LifecycleEvent): string | undefined {
  const entry = Object.entries(EVENT_NAMES[system]).find(([, canonical]) => canonical === event);
  return entry?.[0];
}

/** The systems with their own names for tools: for each, the tools that have a canonical name. */
export const NATIVE_TOOLS = {
  arawn: {
    file_edit: "Edit",
    file_read: "Read",
    file_write: "Write",
    shell: "Bash",
    web_fetch: "WebFetch",
  },
  astrid: { shell: "Bash", bash: "Bash" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type NativeTools = keyof typeof NATIVE_TOOLS;

interface ReportedTool {
  /** The agent in which it is called. */
  runtime: string;
  /** The name by which all agents know it. */
  canonical: string;
  /** The agent's own name for it. */
  reported: string;
}

/**
 * The names by which hooks of a system know a tool, the usual one first: in the system itself, the name that it sent;
 * in other agents, the system's names for such a tool, or the canonical name if it has none.
 */
export function nativeNames(system: NativeTools, { runtime, canonical, reported }: ReportedTool): readonly string[] {
  if (runtime === system) return [reported];
  const names = namesFor(system, canonical);
  return names.length === 0 ? [canonical] : names;
}

/** A system's own names for the tool with this canonical name. */
function namesFor(system: NativeTools, canonical: string): string[] {
  return Object.entries(NATIVE_TOOLS[system]).flatMap(([own, name]) => (name === canonical ? [own] : []));
}
