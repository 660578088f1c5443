import { eventNamed } from "../../../policy/dialect-names.ts";
import type { LifecycleEvent } from "../../../policy/lifecycle-events.ts";

/** Which of Arawn's ways to write hooks down a hook comes from. Each has its own rules. */
export type Generation = "plugin.toml" | "hooks.json" | "settings.json";

/** Where an entry is, for messages. */
export interface Origin {
  file: string;
  /** `[[hooks]] 2`, `hooks.PreToolUse[0].hooks[1]` */
  entry: string;
}

/** What a filter can look at in an event. */
export interface ArawnSubject {
  tool?: string;
  params?: unknown;
}

/** One hook, as its file has it. Its filters are compiled already, so none of them can fail. */
export interface HookDef {
  event: ArawnEvent;
  generation: Generation;
  origin: Origin;
  /** Where it runs: the plugin's folder, or the project's for hooks from settings. */
  folder: string;
  /** A program, or in settings a text for `sh`. */
  command: string;
  /** A glob for the name of the tool. */
  toolMatch: string | null;
  /** A regular expression for the params, as compact JSON with sorted keys. */
  matchPattern: string | null;
  timeoutMs: number;
  /** Whether every filter lets it run. A filter on something that the event lacks doesn't. */
  isFor(subject: ArawnSubject): boolean;
}

/** Something that keeps drwn from using a file or one of its entries. */
export interface ArawnLoadFault extends Origin {
  field: string | null;
  what: string;
  /** Only a note: the rest of the file is still used. */
  isNote: boolean;
}

export interface LoadedArawnHooks {
  /** In the order in which they run. */
  hooks: HookDef[];
  /** A file with an error gives no hooks. */
  faults: ArawnLoadFault[];
}

export const DEFAULT_TIMEOUT_MS = 10_000;

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
