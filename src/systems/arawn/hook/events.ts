import { eventNamed } from "../../../policy/event-names.ts";
import type { LifecycleEvent } from "../../../policy/taxonomy.ts";

/** The events of the contract, in which its hooks have their fields and their say. */
export const CORE_EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "Stop"] as const;

/** Every name that some generation of Arawn has. */
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

/** Events that can be held: the tool is not run, the prompt is refused, the agent goes on. */
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

/** The newest generation's names of two events that older ones call otherwise. */
const NEWER: Readonly<Partial<Record<ArawnEvent, LifecycleEvent>>> = {
  SubagentStart: "subagent.start",
  SubagentStop: "subagent.stop",
};

/** The event of the taxonomy that it is; `other.<name>` where there is none. */
export function canonicalEventOf(event: ArawnEvent): LifecycleEvent {
  return NEWER[event] ?? eventNamed("arawn", event);
}

/** What a tool is called with, and what came of it. */
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
  /** `kept_going`: how often the agent was sent on already instead of handing back. The dispatcher counts where it is absent. */
  Stop: { response: string; kept_going?: number };
}

export type ArawnContext<E extends ArawnEvent> = E extends keyof HookContexts
  ? HookContexts[E] & { session_id?: string }
  : Readonly<Record<string, unknown>>;
