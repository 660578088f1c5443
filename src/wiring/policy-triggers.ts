import { DEADLINES, type PlannedPolicy } from "../contract/plan.ts";
import type { LifecycleAdapter } from "../hot/adapter/adapter.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";

/** The parts of a policy that say for which events it has to be called. */
export type PolicyTrigger = Pick<PlannedPolicy, "matcher" | "phases">;

/** How many seconds an agent is asked to wait for the hook. */
export const AGENT_TIMEOUT_SECONDS = DEADLINES.agent / 1000;

/** The moments of an agent that some lifecycle hook wants, each with the agent's own name. */
export function wantedLifecycleEvents(
  { names, newTurn }: LifecycleAdapter,
  policies: readonly PolicyTrigger[],
): (readonly [LifecycleEvent, string])[] {
  const wanted = new Set<string>(policies.flatMap(({ phases }) => phases));
  if (newTurn !== undefined && wanted.has("turn.stop")) wanted.add(newTurn);
  return names.filter(([event]) => wanted.has(event));
}
