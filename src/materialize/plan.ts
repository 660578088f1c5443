import { compileMatcher } from "../card/matcher.ts";
import { type Approval, type Grant, modeOf } from "../contract/ledger.ts";
import { PLAN_VERSION, type Plan, type PlannedPolicy } from "../contract/plan.ts";
import { approvedHooks } from "../trust/activation.ts";
import { approvalInForce, type CardActivation } from "./activations.ts";

/** The plan of these activations. Cards that join must have been recorded in the ledger before. */
export function buildPlan(project: string, activations: readonly CardActivation[]): Plan {
  return {
    version: PLAN_VERSION,
    project,
    policies: activations.flatMap(({ grant, activation }) => {
      const approval = approvalInForce(activation);
      return approval === undefined || grant === null ? [] : plannedPolicies(grant, approval);
    }),
  };
}

function plannedPolicies(grant: Grant, approval: Approval): PlannedPolicy[] {
  return approvedHooks(approval).map(({ facts, bundle }) => ({
    card: grant.card,
    cardVersion: approval.cardVersion,
    hook: facts.name,
    kind: facts.kind,
    mode: modeOf(grant, approval),
    askFallback: grant.askFallback,
    publisher: approval.publisher,
    match: facts.matcher === null ? null : compileMatcher(facts.matcher),
    matcher: facts.matcher,
    phases: facts.phases,
    timeoutMs: facts.timeoutMs,
    capabilities: facts.capabilities,
    bundle,
  }));
}
