import { findMoments } from "../agents/adapters/moments.ts";
import type { PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Runtime } from "../policy/event.ts";
import { isLifecycleEvent, powersOf } from "../policy/taxonomy.ts";
import type { WritePlan } from "./plan-write.ts";

/** In which agents a lifecycle hook is asked. In none of them: only `drwn hook run --event` asks it. */
export interface HookReach {
  card: string;
  hook: string;
  event: PolicyPhase;
  kind: PlannedPolicy["kind"];
  agents: ReachedAgent[];
}

interface ReachedAgent {
  runtime: Runtime;
  /** What the event could take, and this agent does not carry: "hold", "text". */
  lacks: string[];
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
  if (!isLifecycleEvent(event)) return [];
  const at = findMoments(runtime)?.powersAt(event);
  if (at === undefined) return [];
  const { hold, injects, transforms } = powersOf(event);
  const lacks = [
    ...(hold !== null && !at.holds ? ["hold"] : []),
    ...(injects && !at.injects ? ["text"] : []),
    ...(transforms && !at.transforms ? ["change"] : []),
  ];
  return [{ runtime, lacks }];
}
