import { eventNamed } from "../../../policy/event-names.ts";
import type { LifecycleEvent } from "../../../policy/taxonomy.ts";

/** The events of Arawn's contract, which defines what its hooks get and can decide. */
export const CORE_EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "Stop"] as const;

/** Every event name of any generation of Arawn. */
export const ARAWN_HOOK_EVENTS = [
  ...CORE_EVENTS,
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "Notification",
  "SubagentStarted",
  "SubagentStart",
  "SubagentCompleted",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Setup",
  "StopFailure",
  "InstructionsLoaded",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "Elicitation",
  "ElicitationResult",
  "CwdChanged",
  "FileChanged",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "PromptInjectionVerdict",
] as const;

export type ArawnEvent = (typeof ARAWN_HOOK_EVENTS)[number];

/** Events that can be held: the tool doesn't run, the prompt is refused, the agent goes on. */
export const GATES: readonly ArawnEvent[] = [
  "PreToolUse",
  "Stop",
  "UserPromptSubmit",
  "PermissionRequest",
  "PreCompact",
  "SubagentStop",
];

export function isArawnEvent(name: string): name is ArawnEvent {
  return ARAWN_HOOK_EVENTS.some((event) => event === name);
}

/** The newest generation's names of two events that older generations call something else. */
const NEWER: Readonly<Partial<Record<ArawnEvent, LifecycleEvent>>> = {
  SubagentStart: "subagent.start",
  SubagentStop: "subagent.stop",
};

/** The matching event of the taxonomy, or `other.<name>` if there is none. */
export function canonicalEventOf(event: ArawnEvent): LifecycleEvent {
  return NEWER[event] ?? eventNamed("arawn", event);
}

/** A tool and the input that it is called with. */
export interface ToolContext {
  tool: string;
  params: Readonly<Record<string, unknown>>;
}

/** What an event is about. */
export interface HookContexts {
  PreToolUse: ToolContext;
  PostToolUse: ToolContext & { result: unknown };
  SessionStart: { session_id: string };
  SessionEnd: { session_id: string; turn_count: number };
  /**
   * `kept_going`: how often the agent has already been sent on instead of handing back. If it is absent, the dispatcher
   * counts.
   */
  Stop: { response: string; kept_going?: number };
}

export type ArawnContext<E extends ArawnEvent> = E extends keyof HookContexts
  ? HookContexts[E] & { session_id?: string }
  : Readonly<Record<string, unknown>>;
