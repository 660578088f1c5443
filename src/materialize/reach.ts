import { lacksAt, type ReachedAgent } from "../agents/describe-reach.ts";
import type { PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Runtime } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import type { WritePlan } from "./plan-write.ts";

/** In which agents a lifecycle hook is asked. In none of them: only `drwn hook run --event` asks it. */
export interface HookReach {
  card: string;
  hook: string;
  event: PolicyPhase;
  kind: PlannedPolicy["kind"];
  agents: ReachedAgent[];
}

/** For each lifecycle hook in force. An event fires only where the agent has it. */
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
