/** How an event is held: what happens instead of what was about to happen. */
export type HoldCode = "deny" | "reject" | "retry" | "keep-going" | "cancel" | "suppress";

/** What a matcher is compared with, if an event has such a text. */
type Subject = "command" | "facet" | "model" | "name" | "reason" | "source" | "tool" | "trigger" | "type";

/** What a hook can do at one lifecycle event. */
export interface EventPowers {
  /** What happens if a hook holds the event; null: it cannot be held. */
  hold: HoldCode | null;
  /** Whether a hook can add text for the model. */
  injects: boolean;
  /** Whether a hook can replace the event's input. */
  transforms: boolean;
  /** What a matcher is compared with; null: nothing. */
  subject: Subject | null;
}

/** All lifecycle events in any system, each named by area and phase. */
export const EVENTS = {
  "host.start": { hold: null, injects: false, transforms: false, subject: null },
  "host.stop": { hold: null, injects: false, transforms: false, subject: null },
  "session.start": { hold: null, injects: true, transforms: false, subject: "source" },
  "session.end": { hold: null, injects: false, transforms: false, subject: "reason" },
  "session.reset": { hold: "deny", injects: false, transforms: false, subject: null },
  "prompt.submit": { hold: "reject", injects: true, transforms: false, subject: null },
  "prompt.received": { hold: null, injects: false, transforms: false, subject: null },
  "prompt.expand": { hold: "reject", injects: true, transforms: false, subject: "command" },
  "model.resolve": { hold: "deny", injects: false, transforms: true, subject: "model" },
  "model.before": { hold: "retry", injects: true, transforms: false, subject: null },
  "model.after": { hold: null, injects: false, transforms: false, subject: null },
  "context.build": { hold: null, injects: true, transforms: true, subject: null },
  "tool.before": { hold: "deny", injects: true, transforms: true, subject: "tool" },
  "tool.after": { hold: null, injects: true, transforms: false, subject: "tool" },
  "tool.failure": { hold: null, injects: false, transforms: false, subject: "tool" },
  "tool.persist": { hold: null, injects: false, transforms: true, subject: "tool" },
  "approval.before": { hold: "deny", injects: false, transforms: false, subject: "tool" },
  "approval.after": { hold: null, injects: false, transforms: false, subject: "tool" },
  "message.before": { hold: "suppress", injects: false, transforms: true, subject: null },
  "message.after": { hold: null, injects: false, transforms: false, subject: null },
  "turn.stop": { hold: "keep-going", injects: true, transforms: false, subject: null },
  "loop.end": { hold: null, injects: false, transforms: false, subject: null },
  "compact.before": { hold: "cancel", injects: true, transforms: false, subject: "trigger" },
  "compact.after": { hold: null, injects: true, transforms: false, subject: "trigger" },
  "subagent.start": { hold: null, injects: true, transforms: false, subject: "type" },
  "subagent.stop": { hold: "keep-going", injects: false, transforms: false, subject: "type" },
  notify: { hold: "suppress", injects: false, transforms: false, subject: "type" },
  "facet.switch": { hold: null, injects: false, transforms: false, subject: "facet" },
} as const satisfies Readonly<Record<string, EventPowers>>;

/** An event of the taxonomy. */
export type CanonicalEvent = keyof typeof EVENTS;

/** An event that one system has and the taxonomy lacks: `other.CwdChanged`. Hooks can only watch it. */
export type OtherEvent = `other.${string}`;

/** Any event for which there can be a hook. */
export type LifecycleEvent = CanonicalEvent | OtherEvent;

const OTHER: EventPowers = { hold: null, injects: false, transforms: false, subject: "name" };

/** What a hook can do at an event. */
export function powersOf(event: LifecycleEvent): EventPowers {
  return isCanonicalEvent(event) ? EVENTS[event] : OTHER;
}

export function isCanonicalEvent(name: string): name is CanonicalEvent {
  return Object.hasOwn(EVENTS, name);
}

/** The part after `other.`: the system's own name. */
export const OTHER_EVENT = /^[A-Za-z][A-Za-z0-9_]{0,63}$/u;

/** Whether this is the name of an event in the form that all systems share. */
export function isLifecycleEvent(name: string): name is LifecycleEvent {
  return isCanonicalEvent(name) || (name.startsWith("other.") && OTHER_EVENT.test(name.slice("other.".length)));
}

/** The events for which there can be lifecycle hooks. For `tool.before`, use `defineToolPolicy`. */
export type HookableEvent = Exclude<LifecycleEvent, "tool.before">;

/** The input of each event, in the same shape for every system. Other fields that a system sends are in `metadata`. */
export interface HookInputs {
  "host.start": object;
  "host.stop": object;
  /** `source`: startup, resume, clear or compact, in the system's own words. */
  "session.start": { source?: string; model?: string };
  "session.end": { reason?: string };
  "session.reset": object;
  "prompt.submit": { prompt: string };
  "prompt.received": { prompt: string };
  "prompt.expand": { command: string; prompt?: string };
  "model.resolve": { model: string };
  "model.before": { prompt?: string };
  "model.after": { response?: string };
  "context.build": { prompt: string };
  "tool.after": { toolName: string; toolInput?: unknown; output?: unknown };
  "tool.failure": { toolName: string; toolInput?: unknown; error: string };
  "tool.persist": { toolName: string; output?: unknown };
  "approval.before": { toolName: string; toolInput?: unknown };
  "approval.after": { toolName: string; toolInput?: unknown; reason?: string };
  "message.before": { message: string };
  "message.after": { message: string };
  /** `isContinued`: a hook has kept this turn going already. */
  "turn.stop": { isContinued: boolean; lastMessage?: string };
  "loop.end": { lastMessage?: string };
  /** `trigger`: manual or auto. */
  "compact.before": { trigger?: string; instructions?: string };
  "compact.after": { trigger?: string; summary?: string };
  "subagent.start": { type?: string; agentId?: string };
  "subagent.stop": { isContinued: boolean; type?: string; agentId?: string; lastMessage?: string };
  notify: { message: string; title?: string; type?: string };
  "facet.switch": { facet: string };
}

/** The input of an event; for an event that only one system has, everything that the system sends. */
export type HookInput<E extends LifecycleEvent = LifecycleEvent> = E extends keyof HookInputs
  ? HookInputs[E]
  : Readonly<Record<string, unknown>>;

/** The texts that an event must have. */
export const REQUIRED_INPUTS: { readonly [E in CanonicalEvent]?: readonly string[] } = {
  "prompt.submit": ["prompt"],
  "prompt.received": ["prompt"],
  "prompt.expand": ["command"],
  "model.resolve": ["model"],
  "context.build": ["prompt"],
  "tool.after": ["toolName"],
  "tool.failure": ["toolName", "error"],
  "tool.persist": ["toolName"],
  "approval.before": ["toolName"],
  "approval.after": ["toolName"],
  "message.before": ["message"],
  "message.after": ["message"],
  notify: ["message"],
  "facet.switch": ["facet"],
};

/** The field of the input that a matcher is compared with, if its name differs from the subject's. */
export const SUBJECT_FIELDS: Readonly<Record<string, string>> = { tool: "toolName" };
