import { compareVersions } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import type { Grant, Ledger } from "../contract/ledger.ts";
import type { Plan, PlannedPolicy } from "../contract/plan.ts";
import { parseFormat, readBounded } from "../format/read.ts";
import * as z from "../format/zod.ts";
import { activeGrant } from "../trust/ledger-file.ts";

/** Of the plan in force, what says which policies it has; a large one has no list of them. */
const planInForce = z.object({
  policies: z.array(z.object({ card: z.string(), cardVersion: z.string(), hook: z.string() })).optional(),
  cards: z.array(z.object({ card: z.string(), cardVersion: z.string(), hooks: z.array(z.string()) })).optional(),
});

/** As much as the hook process reads. */
const LIMITS = { maximumBytes: 16 * 1024 * 1024 };

type PolicyInForce = Pick<PlannedPolicy, "card" | "cardVersion" | "hook">;

interface Request {
  home: string;
  key: string;
  /** As it was before the next plan was made. */
  ledger: Ledger | undefined;
  next: Plan;
}

/**
 * Enforcement policies that the plan in force has and the next one has not, or only as an observer, at fewer phases or of an
 * earlier version, as `card@version#hook`. What a person has withdrawn isn't dropped: it is silent already.
 */
export function findDroppedGuards({ home, key, ledger, next }: Request): string[] {
  if (ledger === undefined || ledger.plan === null) return [];
  const file = layout.plan(home, key, ledger.plan);
  const bytes = readBounded(file, LIMITS);
  if (bytes === undefined) return [];
  const { policies = [], cards = [] } = parseFormat(bytes, planInForce, { file, ...LIMITS });
  const inForce = [...policies, ...cards.flatMap(({ hooks, ...card }) => hooks.map((hook) => ({ ...card, hook })))];
  return inForce
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
