import type { Ability } from "../hook-base/adapter/adapter.ts";
import type { AgentId } from "../policy/event.ts";
import { type LifecycleEvent, powersOf } from "../policy/lifecycle-events.ts";
import { allAdapters, findLifecycleAdapter } from "./adapters.ts";

/** What an agent must be able to do to ask a tool policy at this event. */
const NEEDED: { readonly [E in LifecycleEvent]?: Ability } = {
  "tool.before": "deny",
  "tool.after": "after-call",
  "tool.failure": "after-failure",
};

/**
 * Says which agents ask an imported hook of this event. Every agent that reports tool calls asks policies about them,
 * and agents that report the event ask lifecycle hooks. A hook on a failed call can be either.
 */
export function describeEventCoverage(event: LifecycleEvent, isToolPolicy = isPolicyInAnyCase(event)): string {
  const needed = isToolPolicy ? NEEDED[event] : undefined;
  const agents = allAdapters().flatMap(({ runtime, can }) => {
    if (needed !== undefined) return can[needed] ? [runtime] : [];
    const lacks = missingAnswersAt(runtime, event);
    return lacks === undefined ? [] : [`${runtime}${lacks.length === 0 ? "" : ` (no ${lacks.join(", no ")})`}`];
  });
  return `its event is ${event}; ${namesOf(agents)}`;
}

/**
 * An agent that asks the hooks of an event, and the answers to the event that this agent doesn't carry: "hold", "text",
 * "text for the model", "change".
 */
export interface CoveringAgent {
  runtime: AgentId;
  lacks: string[];
}

/** The answers to an event that an agent doesn't carry; undefined: the agent doesn't report the event. */
export function missingAnswersAt(runtime: AgentId, event: LifecycleEvent): string[] | undefined {
  const at = findLifecycleAdapter(runtime)?.powersAt(event);
  if (at === undefined) return undefined;
  const { hold, injects, transforms } = powersOf(event);
  return [
    ...(hold !== null && !at.holds ? ["hold"] : []),
    ...(injects && !at.injects ? [at.shows ? "text for the model" : "text"] : []),
    ...(transforms && !at.transforms ? ["change"] : []),
  ];
}

function isPolicyInAnyCase(event: LifecycleEvent): boolean {
  return event === "tool.before" || event === "tool.after";
}

function namesOf(agents: readonly string[]): string {
  if (agents.length === allAdapters().length) return "active on: every agent that drwn guards";
  return agents.length === 0 ? "active on: runner only" : `active on: ${agents.join(", ")}`;
}
