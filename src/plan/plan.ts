import { compileMatcher } from "../card/matcher.ts";
import { type Approval, type Grant, modeOf } from "../contract/ledger.ts";
import { PLAN_VERSION, type Plan, type PlannedPolicy } from "../contract/plan.ts";
import { approvedHooks } from "../trust/activation.ts";
import { approvalInForce, type CardActivation } from "./activations.ts";

/** The plan of these activations. It has a joining version only when the ledger has recorded that version. */
export function buildPlan(project: string, activations: readonly CardActivation[]): Plan {
  const compiled = new Map<string, string>();
  return {
    version: PLAN_VERSION,
    project,
    policies: activations.flatMap(({ grant, activation }) => {
      const approval = approvalInForce({ grant, activation });
      return approval === undefined || grant === null ? [] : plannedPolicies({ grant, approval, compiled });
    }),
  };
}

interface PolicyRequest {
  grant: Grant;
  approval: Approval;
  /** The matchers compiled so far: many policies share one. */
  compiled: Map<string, string>;
}

function plannedPolicies({ grant, approval, compiled }: PolicyRequest): PlannedPolicy[] {
  return approvedHooks(approval).map(({ facts, bundle }) => ({
    card: grant.card,
    cardVersion: approval.cardVersion,
    hook: facts.name,
    kind: facts.kind,
    mode: modeOf(grant, approval),
    askFallback: grant.askFallback,
    publisher: approval.publisher,
    match: facts.matcher === null ? null : compileOnce(facts.matcher, compiled),
    matcher: facts.matcher,
    phases: facts.phases,
    timeoutMs: facts.timeoutMs,
    capabilities: facts.capabilities,
    bundle,
  }));
}

function compileOnce(matcher: string, compiled: Map<string, string>): string {
  const source = compiled.get(matcher) ?? compileMatcher(matcher);
  compiled.set(matcher, source);
  return source;
}
