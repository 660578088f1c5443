import { compareVersions } from "../card/version.ts";
import type { Grant, Ledger } from "../contract/ledger.ts";
import type { Plan } from "../contract/plan.ts";
import { activeGrant } from "../trust/ledger-file.ts";
import { type PolicyInForce, readPlanInForce } from "./plan-in-force.ts";

interface Request {
  home: string;
  key: string;
  /** The ledger before the next plan was made. */
  ledger: Ledger | undefined;
  next: Plan;
}

/**
 * Enforcement policies, as `card@version#hook`, that the plan in force has but the next one hasn't, or only as an
 * observer, in fewer phases or in an earlier version. What a person has withdrawn isn't dropped: it is silent already.
 */
export function findDroppedGuards({ home, key, ledger, next }: Request): string[] {
  if (ledger === undefined || ledger.plan === null) return [];
  return (readPlanInForce(home, key, ledger.plan)?.policies ?? [])
    .filter((policy) => isDropped(policy, activeGrant(ledger, policy.card), next))
    .map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`);
}

function isDropped({ card, cardVersion, hook }: PolicyInForce, grant: Grant | undefined, next: Plan): boolean {
  if (grant === undefined) return false;
  const approval = grant.approved.findLast((one) => one.cardVersion === cardVersion);
  const facts = approval?.hooks.find(({ name }) => name === hook);
  if (facts?.kind === "observer") return false;
  const kept = next.policies.find((policy) => policy.card === card && policy.hook === hook);
  return (
    kept?.kind !== "enforcement" ||
    compareVersions(kept.cardVersion, cardVersion) < 0 ||
    (facts?.phases ?? []).some((phase) => !kept.phases.includes(phase))
  );
}
