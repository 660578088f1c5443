import type { PlannedPolicy } from "../contract/plan.ts";
import type { Phase } from "../policy/event.ts";

/**
 * The policies that want a tool of one of these names at this phase. An expression that does not work matches everything for an enforcement
 * policy and nothing for an observer. `onFault` hears of it.
 */
export function selectPolicies<P extends PlannedPolicy>(
  policies: readonly P[],
  { names, phase }: { names: readonly string[]; phase: Phase },
  onFault: (policy: P) => void,
): P[] {
  return policies.filter((policy) => {
    if (!policy.phases.includes(phase)) return false;
    if (policy.match === null) return true;
    try {
      const match = new RegExp(policy.match);
      return names.some((name) => match.test(name));
    } catch {
      onFault(policy);
      return policy.kind === "enforcement";
    }
  });
}
