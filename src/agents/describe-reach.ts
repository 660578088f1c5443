import type { Ability } from "../hot/adapter/adapter.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";
import { ADAPTERS } from "./adapters/calls.ts";
import { findMoments } from "./adapters/moments.ts";

/** What an agent must be able to do to ask a policy on tool calls. */
const NEEDED: { readonly [E in LifecycleEvent]?: Ability } = {
  "tool.before": "deny",
  "tool.after": "after-call",
  "tool.failure": "after-failure",
};

/**
 * Where an imported hook of this event is asked. Policies on tool calls are asked by every agent that tells of such calls,
 * lifecycle hooks by those that tell of the moment; a hook on a failed call can be either.
 */
export function describeReach(event: LifecycleEvent, isToolPolicy = isPolicyInAnyCase(event)): string {
  const needed = isToolPolicy ? NEEDED[event] : undefined;
  const agents = ADAPTERS.filter(({ runtime, can }) =>
    needed === undefined ? findMoments(runtime)?.powersAt(event) !== undefined : can[needed],
  ).map(({ runtime }) => runtime);
  return `its event is ${event}; ${namesOf(agents)}`;
}

function isPolicyInAnyCase(event: LifecycleEvent): boolean {
  return event === "tool.before" || event === "tool.after";
}

function namesOf(agents: readonly string[]): string {
  if (agents.length === ADAPTERS.length) return "active on: every agent that drwn guards";
  return agents.length === 0 ? "active on: runner only" : `active on: ${agents.join(", ")}`;
}
