import { lacksAt, type ReachedAgent } from "../agents/describe-reach.ts";
import type { PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Runtime } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import type { WritePlan } from "./plan-write.ts";

/** Which agents ask a lifecycle hook. If none does, only `drwn hook run --event` asks it. */
export interface HookReach {
  card: string;
  hook: string;
  event: PolicyPhase;
  kind: PlannedPolicy["kind"];
  agents: ReachedAgent[];
}

/** For each lifecycle hook in force. An event fires only in agents that have it. */
export function findReach({
  plan,
  agents,
  activations,
}: Pick<WritePlan, "plan" | "agents" | "activations">): HookReach[] {
  return plan.policies.flatMap((policy) => {
    const { card, hook, kind } = policy;
    const event = policy.phases.find((phase) => isLifecycleEvent(phase));
    if (event === undefined) return [];
    const allowed = activations.find((activation) => activation.card === card)?.grant?.runtimes ?? null;
    const reached = agents
      .filter(({ runtime }) => allowed === null || allowed.includes(runtime))
      .flatMap(({ runtime }) => reachOf(runtime, event));
    return [{ card, hook, event, kind, agents: reached }];
  });
}

function reachOf(runtime: Runtime, event: PolicyPhase): ReachedAgent[] {
  const lacks = isLifecycleEvent(event) ? lacksAt(runtime, event) : undefined;
  return lacks === undefined ? [] : [{ runtime, lacks }];
}
