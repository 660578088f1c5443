import type { CanonicalEvent, LifecycleEvent } from "./taxonomy.ts";

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
