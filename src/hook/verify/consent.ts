import {
  type Approval,
  type Grant,
  hasPassed,
  modeOf,
  type OptionDeclarations,
  type OptionValues,
  optionValues,
  STRENGTH,
  type Terms,
} from "../../contract/ledger.ts";
import type { PlannedCard, PlannedPolicy } from "../../contract/plan.ts";
import { type Fields, fieldOf, hasShape, isListOfTexts, isRecord, isText } from "../../hook-base/shape.ts";
import { isAskFallback, isMode } from "./plan-shape.ts";

/** What the ledger says about the policies of a plan. */
type ConsentedPlan<P> = { kind: "runs"; policies: P[]; isAnyStanding: boolean } | ConsentMismatch;

/** The plan isn't what was consented to. */
export interface ConsentMismatch {
  kind: "otherwise";
  card: string;
  hook: string;
  how: "not-approved" | "weaker";
}

/** A plan, or the part of it that was read: then `cards` describes all of its policies. */
interface Planned<P> {
  policies: readonly P[];
  cards: readonly PlannedCard[] | null;
}

/**
 * Compares a plan with the grants. A policy runs if exactly its bytes were approved, with the facts that were consented
 * to. Policies whose consent was withdrawn, has ended or only covers other hooks of the card are left out: a person
 * silenced them. A plan that is weaker on a card than the card's grant is refused.
 */
export function compareWithGrants<P extends PlannedPolicy>(
  planned: Planned<P>,
  grants: readonly Grant[],
  now: number,
): ConsentedPlan<P & OfGrant> {
  const policies: (P & OfGrant)[] = [];
  const currentGrants = currentGrantsByCard(grants, now);
  for (const policy of planned.policies) {
    const { card, hook } = policy;
    const own = currentGrants.get(card);
    if (isSilenced(own, hook)) continue;
    const found = findApproval(own, policy);
    if (found === undefined) return { kind: "otherwise", card, hook, how: "not-approved" };
    const { grant, approval, facts } = found;
    if (!hasOwnOptions(grant, facts)) return { kind: "otherwise", card, hook, how: "not-approved" };
    const mode = modeOf(grant, approval);
    if (STRENGTH[policy.mode] < STRENGTH[mode]) return { kind: "otherwise", card, hook, how: "weaker" };
    if (approval.yankedAt !== null && grant.onYank === "stand-down") continue;
    // The ledger's terms take effect at the next call, even if the plan is older.
    const { askFallback, runtimes } = grant;
    policies.push({ ...policy, mode, askFallback, runtimes, facts, options: optionsText(grant, facts) });
  }
  let isAnyStanding = false;
  for (const card of planned.cards ?? cardsOf(planned.policies)) {
    const own = currentGrants.get(card.card);
    const kept = card.hooks.filter((hook) => !isSilenced(own, hook));
    const [hook] = kept;
    if (hook === undefined) continue;
    isAnyStanding = true;
    if (!isCovered(card, own, kept.length)) return { kind: "otherwise", card: card.card, hook, how: "weaker" };
  }
  return { kind: "runs", policies, isAnyStanding };
}

/** What the ledger says about a policy and the plan doesn't. */
interface OfGrant {
  runtimes: Grant["runtimes"];
  /** The facts about it that were consented to. */
  facts: NamedFacts;
  /** JSON text; null: the hook has none. */
  options: string | null;
}

function optionsText({ options }: Grant, { name, options: declared }: NamedFacts): string | null {
  if (declared === undefined) return null;
  return JSON.stringify(optionValues(declared, options === undefined ? undefined : valuesOf(options, name)));
}

/**
 * Whether every value fits its option. Nobody can have set one that doesn't, and a policy could treat it in any way.
 */
function hasOwnOptions({ options }: Grant, { name, options: declared }: NamedFacts): boolean {
  return declared === undefined || options === undefined || canHave(declared, valuesOf(options, name) ?? {});
}

function valuesOf(options: NonNullable<Grant["options"]>, hook: string): OptionValues | undefined {
  return Object.hasOwn(options, hook) ? options[hook] : undefined;
}

/**
 * Whether the plan has at least as many hooks of a card, and as strong ones, as some approval. A part of a plan cannot
 * show that.
 */
function isCovered(planned: PlannedCard, grants: CurrentGrants = [], count: number): boolean {
  return grants.some((grant) => grant.approved.some((one) => isWhole(one, { grant, planned, count })));
}

function isWhole(
  approval: Approval,
  { grant, planned, count }: { grant: Grant; planned: PlannedCard; count: number },
): boolean {
  if (!isRecord(approval) || approval.cardVersion !== planned.cardVersion || !isRecord(approval.bundles)) return false;
  return (
    isApproval(approval) &&
    approval.publisher === planned.publisher &&
    STRENGTH[planned.mode] >= STRENGTH[modeOf(grant, approval)] &&
    count >= countHooks(grant, approval)
  );
}

/** The cards of a whole plan, as its policies describe them. */
function cardsOf(policies: readonly PlannedPolicy[]): PlannedCard[] {
  const cards: PlannedCard[] = [];
  for (const { card, cardVersion, publisher, mode, hook } of policies) {
    const known = cards.find((one) => one.card === card && one.cardVersion === cardVersion);
    if (known === undefined) cards.push({ card, cardVersion, publisher, mode, hooks: [hook] });
    else known.hooks.push(hook);
  }
  return cards;
}

type NamedFacts = Approval["hooks"][number];

interface Found {
  grant: Grant;
  approval: Approval;
  facts: NamedFacts;
}

function findApproval(grants: CurrentGrants = [], policy: PlannedPolicy): Found | undefined {
  for (const grant of grants) {
    if (excludesHook(grant, policy.hook)) continue;
    for (let at = grant.approved.length - 1; at >= 0; at--) {
      const approval = grant.approved[at];
      const facts = approval === undefined ? undefined : factsIn(approval, policy);
      if (approval !== undefined && facts !== undefined) return { grant, approval, facts };
    }
  }
  return undefined;
}

/** The approval's facts about the policy, if it approves exactly this version, these bytes and these facts. */
function factsIn(approval: Approval, policy: PlannedPolicy): NamedFacts | undefined {
  if (!isRecord(approval) || approval.cardVersion !== policy.cardVersion || !isRecord(approval.bundles))
    return undefined;
  if (fieldOf(approval.bundles, policy.hook) !== policy.bundle || !isApproval(approval)) return undefined;
  const facts = approval.hooks.find(({ name }) => name === policy.hook);
  const isSame =
    facts !== undefined &&
    approval.publisher === policy.publisher &&
    facts.kind === policy.kind &&
    facts.matcher === policy.matcher &&
    facts.timeoutMs === policy.timeoutMs &&
    areSame(facts.phases, policy.phases) &&
    areSame(facts.capabilities, policy.capabilities) &&
    (facts.options === undefined || areDeclared(facts.options));
  return isSame ? facts : undefined;
}

function areSame(some: unknown, others: readonly string[]): boolean {
  return Array.isArray(some) && some.length === others.length && others.every((other, at) => some[at] === other);
}

function countHooks(grant: Grant, { bundles, hooks }: Approval): number {
  return hooks.filter(({ name }) => Object.hasOwn(bundles, name) && !excludesHook(grant, name)).length;
}

/** Checks an approval only when it is used, since a ledger holds many. */
function isApproval(approval: Fields | Approval): boolean {
  const { restrictOnly, yankedAt, hooks } = approval as Fields;
  return (
    typeof restrictOnly === "boolean" && isInstantOrNull(yankedAt) && Array.isArray(hooks) && hooks.every(isRecord)
  );
}

export function isGrant(value: unknown): value is Grant {
  return isRecord(value) && hasShape(value, GRANT);
}

/** The fields of a grant that the hook process obeys. */
const GRANT = {
  card: isText,
  revokedAt: isInstantOrNull,
  expiresAt: isInstantOrNull,
  mode: isMode,
  hooks: isListOfTextsOrNull,
  askFallback: isAskFallback,
  onYank: (value: unknown) => value === "keep" || value === "stand-down",
  options: (value: unknown) => value === undefined || (isRecord(value) && Object.values(value).every(isRecord)),
  runtimes: isListOfTextsOrNull,
  approved: Array.isArray,
};

function isListOfTextsOrNull(value: unknown): boolean {
  return value === null || isListOfTexts(value);
}

export function isInstantOrNull(value: unknown): value is string | null {
  return value === null || (isText(value) && !Number.isNaN(Date.parse(value)));
}

/** Whether a card can declare these options. It only checks what could mislead a policy. */
function areDeclared(declared: unknown): boolean {
  if (!isRecord(declared)) return false;
  const options = Object.values(declared);
  return (
    options.length > 0 && options.every((option) => isRecord(option) && isValue(option, fieldOf(option, "default")))
  );
}

/** Whether each value fits the option that is declared for it, if one is. */
function canHave(declared: OptionDeclarations, values: Fields): boolean {
  return Object.entries(declared).every(
    ([name, option]) => !Object.hasOwn(values, name) || isValue({ ...option }, values[name]),
  );
}

function isValue(option: Fields, value: unknown): boolean {
  const { type, values, minimum = value, maximum = value } = option;
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && Number(minimum) <= Number(value) && Number(value) <= Number(maximum);
    case "string":
      return isText(value);
    case "strings":
    case "globs":
      return isListOfTexts(value);
    case "enum":
      return isText(value) && isListOfTexts(values) && values.includes(value);
    default:
      return false;
  }
}

/** The grants of one card that hold right now. Undefined: nobody ever consented to the card. */
type CurrentGrants = readonly Grant[] | undefined;

/** The grants that hold, by card. The list is empty for a card whose consent was withdrawn or has ended. */
function currentGrantsByCard(grants: readonly Grant[], now: number): ReadonlyMap<string, readonly Grant[]> {
  const currentGrants = new Map<string, Grant[]>();
  for (const grant of grants) {
    const own = currentGrants.get(grant.card) ?? [];
    if (grant.revokedAt === null && !hasPassed(grant.expiresAt, now)) own.push(grant);
    currentGrants.set(grant.card, own);
  }
  return currentGrants;
}

/** Whether a person has silenced the policy. */
function isSilenced(grants: CurrentGrants, hook: string): boolean {
  return grants?.every((grant) => excludesHook(grant, hook)) === true;
}

/** Whether the consent is only for other hooks of the card. */
function excludesHook({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}
