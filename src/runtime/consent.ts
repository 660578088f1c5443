import { type Approval, type Grant, hasPassed, MODES, type Mode, modeOf, type Terms } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { type Fields, fieldOf, isListOf, isRecord, isText } from "./shape.ts";

/** What the ledger says of the policies of a plan. */
export type Consented =
  | { kind: "runs"; policies: PlannedPolicy[] }
  /** The plan is not what was consented to. */
  | { kind: "otherwise"; policy: PlannedPolicy; how: "not-approved" | "weaker" };

/**
 * Compares a plan with the grants. A policy runs when exactly its bytes were approved, with the facts that were consented
 * to. Policies whose consent was withdrawn, has ended or covers other hooks of the card are left out: their silence is a
 * person's word. A plan that asks less of a card than its grant does is not obeyed.
 */
export function compareWithGrants(planned: readonly PlannedPolicy[], grants: readonly Grant[], now: number): Consented {
  const policies: PlannedPolicy[] = [];
  const byCard = groupByCard(grants);
  const counts = new Map<Approval, { grant: Grant; policy: PlannedPolicy; planned: number }>();
  for (const policy of planned) {
    const ofCard = byCard.get(policy.card) ?? [];
    const standing = ofCard.filter((grant) => grant.revokedAt === null && !hasPassed(grant.expiresAt, now));
    if (ofCard.length > 0 && standing.length === 0) continue;
    if (standing.length > 0 && standing.every((grant) => leavesOut(grant, policy.hook))) continue;
    const found = findApproval(standing, policy);
    if (found === undefined) return { kind: "otherwise", policy, how: "not-approved" };
    const { grant, approval } = found;
    const mode = modeOf(grant, approval);
    if (STRENGTH[policy.mode] < STRENGTH[mode]) return { kind: "otherwise", policy, how: "weaker" };
    counts.set(approval, { grant, policy, planned: (counts.get(approval)?.planned ?? 0) + 1 });
    if (approval.yankedAt !== null && grant.onYank === "stand-down") continue;
    // The ledger's terms hold from the next call on, also where the plan is older.
    policies.push({ ...policy, mode, askFallback: grant.askFallback });
  }
  for (const [approval, { grant, policy, planned: count }] of counts) {
    if (count < countHooks(grant, approval)) return { kind: "otherwise", policy, how: "weaker" };
  }
  return { kind: "runs", policies };
}

const STRENGTH: Readonly<Record<Mode, number>> = { shadow: 0, "restrict-only": 1, enforce: 2 };

function groupByCard(grants: readonly Grant[]): Map<string, Grant[]> {
  const byCard = new Map<string, Grant[]>();
  for (const grant of grants) byCard.set(grant.card, [...(byCard.get(grant.card) ?? []), grant]);
  return byCard;
}

function leavesOut({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}

function findApproval(
  grants: readonly Grant[],
  policy: PlannedPolicy,
): { grant: Grant; approval: Approval } | undefined {
  for (const grant of grants) {
    if (leavesOut(grant, policy.hook)) continue;
    const approval = grant.approved.findLast((one) => isOf(one, policy));
    if (approval !== undefined) return { grant, approval };
  }
  return undefined;
}

/** The approval is of exactly this version, these bytes, and these facts. */
function isOf(approval: Approval, policy: PlannedPolicy): boolean {
  if (!isRecord(approval) || approval.cardVersion !== policy.cardVersion || !isRecord(approval.bundles)) return false;
  if (fieldOf(approval.bundles, policy.hook) !== policy.bundle || !isApproval(approval)) return false;
  const facts = approval.hooks.find(({ name }) => name === policy.hook);
  return (
    facts !== undefined &&
    approval.publisher === policy.publisher &&
    facts.kind === policy.kind &&
    facts.matcher === policy.matcher &&
    facts.timeoutMs === policy.timeoutMs &&
    String(facts.phases) === String(policy.phases) &&
    String(facts.capabilities) === String(policy.capabilities)
  );
}

function countHooks(grant: Grant, { bundles, hooks }: Approval): number {
  return hooks.filter(({ name }) => Object.hasOwn(bundles, name) && !leavesOut(grant, name)).length;
}

/** Approvals are looked at only when they are used: a ledger holds many. */
function isApproval(approval: Fields | Approval): boolean {
  const { restrictOnly, yankedAt, hooks } = approval as Fields;
  return (
    typeof restrictOnly === "boolean" && isInstantOrNull(yankedAt) && Array.isArray(hooks) && hooks.every(isRecord)
  );
}

export function isGrant(value: unknown): value is Grant {
  return isRecord(value) && Object.entries(CHECKS).every(([name, isFitting]) => isFitting(fieldOf(value, name)));
}

/** Of a grant, what the hook process obeys. */
const CHECKS = {
  card: isText,
  revokedAt: isInstantOrNull,
  expiresAt: isInstantOrNull,
  mode: (value: unknown) => MODES.some((mode) => mode === value),
  hooks: (value: unknown) => value === null || isListOf(value, isText),
  askFallback: (value: unknown) => value === "allow" || value === "deny",
  onYank: (value: unknown) => value === "keep" || value === "stand-down",
  approved: Array.isArray,
};

export function isInstantOrNull(value: unknown): value is string | null {
  return value === null || (isText(value) && !Number.isNaN(Date.parse(value)));
}
