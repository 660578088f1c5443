import { type CoveringAgent, missingAnswersAt } from "../agents/event-coverage.ts";
import type { PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { AgentId } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import type { WritePlan } from "./plan-write.ts";

/** Which agents ask a lifecycle hook. If none does, only `drwn hook run --event` asks it. */
export interface EventCoverage {
  card: string;
  hook: string;
  event: PolicyPhase;
  kind: PlannedPolicy["kind"];
  agents: CoveringAgent[];
}

/** For each lifecycle hook in force. An event fires only in agents that have it. */
export function findEventCoverage({
  plan,
  agents,
  activations,
}: Pick<WritePlan, "plan" | "agents" | "activations">): EventCoverage[] {
  return plan.policies.flatMap((policy) => {
    const { card, hook, kind } = policy;
    const event = policy.phases.find((phase) => isLifecycleEvent(phase));
    if (event === undefined) return [];
    const allowed = activations.find((activation) => activation.card === card)?.grant?.runtimes ?? null;
    const reached = agents
      .filter(({ runtime }) => allowed === null || allowed.includes(runtime))
      .flatMap(({ runtime }) => coverageOf(runtime, event));
    return [{ card, hook, event, kind, agents: reached }];
  });
}

function coverageOf(runtime: AgentId, event: PolicyPhase): CoveringAgent[] {
  const lacks = isLifecycleEvent(event) ? missingAnswersAt(runtime, event) : undefined;
  return lacks === undefined ? [] : [{ runtime, lacks }];
}
