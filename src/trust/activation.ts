import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { compareVersions, satisfies } from "../card/version.ts";
import { type Approval, DRWN_ITSELF, type Grant, type HookFacts } from "../contract/ledger.ts";
import { type CommandScope, placeIn } from "../kernel/advice.ts";
import {
  type CeilingDifference,
  consentedHooks,
  differencesFromCeiling,
  differingSkills,
  isWeaker,
} from "./ceiling.ts";

/** The version of a card that the lock names. */
export interface OfferedCard {
  name: string;
  version: string;
  tree: string;
  source: string;
  publisher: string | null;
  hooks: readonly IndexedHook[];
}

/** What a grant means for the version that is installed. */
export type Activation =
  /** Exactly this content was approved last. */
  | { state: "active"; approval: Approval }
  /** The grant covers it without a person: `write` only has to record it, and to compile it if nobody has. */
  | { state: "joins" }
  /**
   * It doesn't run yet; meanwhile `approval`, the last one, stays in force. `stops`: something has happened that must
   * never happen to a published card.
   */
  | { state: "waits"; outcome: "waits" | "stops"; approval: Approval | undefined; why: WaitReason };

type WaitReason =
  /** Another folder is at the path where the consents were given. */
  | { because: "project" }
  | { because: "range"; range: string }
  /** The lock went back to a version before the one in force; the differences are what it guards otherwise. */
  | { because: "earlier"; than: string; differences: CeilingDifference[] }
  | { because: "source"; from: string; to: string }
  /** null: not signed. */
  | { because: "publisher"; from: string | null; to: string | null }
  /** The version was approved with other content: a published version never changes. */
  | { because: "replaced"; from: string; to: string }
  | { because: "unsigned" }
  /** It was published inside an agent's tool call: maybe no person has seen it. */
  | { because: "agent" }
  /** It is not signed, and nothing says that a person published it. */
  | { because: "unattested" }
  | { because: "yanked" }
  | { because: "ceiling"; differences: CeilingDifference[] }
  /** These skills are code that nobody has consented to. */
  | { because: "skills"; skills: string[] }
  /** The version in force binds itself to saying no, but this one doesn't. */
  | { because: "unbound" }
  /** It is too new; at `joinsAt` it joins by itself. */
  | { because: "age"; joinsAt: string };

/** The registry on this machine, which records who published a card: so an unsigned card from here may join. */
export const OWN_REGISTRY = "folder:default";

/** What the machine knows about versions that would join by themselves, and what it wants of them. */
export interface JoinFacts {
  now: Date;
  /** How long the machine must have known a version from outside before it joins. */
  releaseAgeHours: number;
  /** Whether another folder is at the path where the consents were given. */
  isOtherFolder: boolean;
  releaseOf: (tree: string) => { firstSeenAt: string; yankedAt: string | null } | undefined;
  /** Who published this content, as a registry's record says. Only this machine's own registry is trusted to say that it was a person. */
  publishedBy: (offered: Omit<OfferedCard, "publisher" | "hooks">) => "person" | "agent" | "drwn" | null;
  /** The key with which this user signs the card's scope; null: there is none. */
  ownKeyOf: (card: string) => string | null;
  /** Whether the card of these contents is known to bind itself to saying no. */
  isRestrictOnly: (tree: string) => boolean;
  /** For each of its skills that is code, by name: the digest of what it runs. */
  skillCodeOf: (tree: string) => Readonly<Record<string, string>>;
}

/**
 * What was approved last is in force. Anything else that a lock names is judged against it, even if it was approved
 * before: otherwise a repository could weaken a guard by going back to an earlier version.
 */
export function decideActivation(grant: Grant, offered: OfferedCard, joinFacts: JoinFacts): Activation {
  const approval = grant.approved.find(({ tree }) => tree === offered.tree);
  const isLast = approval !== undefined && approval === grant.approved.at(-1);
  if (isLast && !isSuperseded(grant, approval)) return { state: "active", approval };
  for (const { outcome, ask } of rulesFor(grant, approval)) {
    const why = ask({ grant, offered, joinFacts });
    if (why !== undefined) return { state: "waits", outcome, approval: lastInForce(grant), why };
  }
  return { state: "joins" };
}

function rulesFor(grant: Grant, approval: Approval | undefined): readonly UpgradeRule[] {
  if (approval === undefined) return UPGRADE_RULES;
  return isSuperseded(grant, approval) ? [YANKED] : RETURN_RULES;
}

/** A yanked version doesn't run if the consent has its guard stand down then. */
function isSuperseded({ onYank }: Pick<Grant, "onYank">, { yankedAt }: Approval): boolean {
  return yankedAt !== null && onYank === "stand-down";
}

/** What stays in force while a version waits, and after the card has left the lock; an earlier version doesn't come back. */
export function lastInForce(grant: Grant): Approval | undefined {
  const last = grant.approved.at(-1);
  return last === undefined || isSuperseded(grant, last) ? undefined : last;
}

interface Question {
  grant: Grant;
  offered: OfferedCard;
  joinFacts: JoinFacts;
}

interface UpgradeRule {
  outcome: "waits" | "stops";
  /** It is about where a content comes from, so it doesn't apply to one that a person has approved. */
  isForNews?: true;
  /** Undefined: the rule has nothing against it. */
  ask: (question: Question) => WaitReason | undefined;
}

/** A yank counts even if the registry reported it after the approval. */
const YANKED: UpgradeRule = { outcome: "waits", ask: () => ({ because: "yanked" }) };

/**
 * What keeps a version from replacing the one in force. The first rule that applies decides, and the ones that stop
 * come first. If none applies, the version joins.
 */
const UPGRADE_RULES: readonly UpgradeRule[] = [
  { outcome: "stops", ask: ({ grant, offered }) => whyReplaced(grant, offered) },
  {
    outcome: "stops",
    isForNews: true,
    ask: ({ grant, offered: { publisher: to } }) => {
      const from = publisherOf(grant);
      return from !== null && from !== to ? { because: "publisher", from, to } : undefined;
    },
  },
  { outcome: "waits", ask: ({ joinFacts }) => (joinFacts.isOtherFolder ? { because: "project" } : undefined) },
  {
    outcome: "waits",
    ask: ({ grant: { source: from }, offered: { source: to } }) =>
      from === to ? undefined : { because: "source", from, to },
  },
  { outcome: "waits", ask: ({ grant, offered }) => whyEarlier(grant, offered) },
  {
    outcome: "waits",
    ask: ({ grant: { range }, offered }) =>
      satisfies(offered.version, range) ? undefined : { because: "range", range },
  },
  { outcome: "waits", isForNews: true, ask: ({ offered, joinFacts }) => whyUnseen(offered, joinFacts) },
  { outcome: "waits", ask: whyForeign },
  {
    outcome: "waits",
    ask: ({ offered, joinFacts }) =>
      (joinFacts.releaseOf(offered.tree)?.yankedAt ?? null) === null ? undefined : { because: "yanked" },
  },
  { outcome: "waits", ask: ({ grant, offered }) => whyAboveCeiling(grant, offered) },
  { outcome: "waits", ask: whyOtherSkills },
  { outcome: "waits", ask: whyUnbound },
  { outcome: "waits", isForNews: true, ask: ({ offered, joinFacts }) => whyTooNew(offered, joinFacts) },
];

/** The same for a content that was approved before the one in force: a person has seen it. */
const RETURN_RULES: readonly UpgradeRule[] = UPGRADE_RULES.filter(({ isForNews = false }) => !isForNews);

/** Whose versions the consent covers: once a signed one has joined, only those of its key. */
function publisherOf({ publisher, approved }: Grant): string | null {
  const last = approved.at(-1)?.publisher ?? null;
  return publisher ?? (last === DRWN_ITSELF ? null : last);
}

/**
 * A key says who published a version. Without one, this machine's registry may say so, and drwn vouches for the cards
 * that come with it. What an agent published never joins, whoever signed it and whatever else was consented to.
 */
function whyUnseen(offered: OfferedCard, { publishedBy }: JoinFacts): WaitReason | undefined {
  const by = publishedBy(offered);
  if (by === "agent") return { because: "agent" };
  if (by === "drwn") return undefined;
  if (offered.publisher !== null) return undefined;
  if (offered.source !== OWN_REGISTRY) return { because: "unsigned" };
  return by === "person" ? undefined : { because: "unattested" };
}

/** If this user has begun to sign, it is still the same person who publishes to the same place, with proof. */
function whyForeign({ grant, offered, joinFacts }: Question): WaitReason | undefined {
  const [from, to] = [publisherOf(grant), offered.publisher];
  const isOwn =
    from === null && to !== null && offered.source === OWN_REGISTRY && to === joinFacts.ownKeyOf(offered.name);
  const isSame = from === to || (isOwn && joinFacts.publishedBy(offered) === "person");
  return isSame ? undefined : { because: "publisher", from, to };
}

function whyReplaced(grant: Grant, offered: OfferedCard): WaitReason | undefined {
  const namesake = grant.approved.findLast(({ cardVersion }) => cardVersion === offered.version);
  if (namesake === undefined || namesake.tree === offered.tree || grant.source !== offered.source) return undefined;
  return { because: "replaced", from: namesake.tree, to: offered.tree };
}

/** A range promises later versions: an earlier one has the mistakes that a later one fixed. */
function whyEarlier(grant: Grant, offered: OfferedCard): WaitReason | undefined {
  const last = grant.approved.at(-1)?.cardVersion;
  if (last === undefined || compareVersions(offered.version, last) >= 0) return undefined;
  return { because: "earlier", than: last, differences: differencesOf(grant, offered) };
}

function differencesOf(grant: Grant, offered: OfferedCard): CeilingDifference[] {
  return differencesFromCeiling(grant.ceiling, consentedHooks(offered.hooks, grant.hooks));
}

function whyAboveCeiling(grant: Grant, offered: OfferedCard): WaitReason | undefined {
  const differences = differencesOf(grant, offered);
  return differences.length > 0 ? { because: "ceiling", differences } : undefined;
}

/** A skill that is code must match the consent word by word; one that is text needs no consent. */
function whyOtherSkills({ grant, offered, joinFacts }: Question): WaitReason | undefined {
  const skills = differingSkills(grant.skills, joinFacts.skillCodeOf(offered.tree));
  return skills.length > 0 ? { because: "skills", skills } : undefined;
}

/** The consent was to a card that may only say no: one that may also rewrite calls is something else. */
function whyUnbound({ grant, offered, joinFacts }: Question): WaitReason | undefined {
  const last = grant.approved.at(-1);
  const isBound = grant.mode === "enforce" && last?.restrictOnly === true;
  return isBound && !joinFacts.isRestrictOnly(offered.tree) ? { because: "unbound" } : undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** Most hijacked releases are found within days. Only this user's own releases, and drwn's, join at once. */
function whyTooNew(
  offered: OfferedCard,
  { now, releaseAgeHours, releaseOf, publishedBy }: JoinFacts,
): WaitReason | undefined {
  const { tree, source } = offered;
  if (source === OWN_REGISTRY || publishedBy(offered) === "drwn") return undefined;
  const seen = Date.parse(releaseOf(tree)?.firstSeenAt ?? now.toISOString());
  const joins = seen + releaseAgeHours * HOUR_MS;
  return joins <= now.getTime() ? undefined : { because: "age", joinsAt: new Date(joins).toISOString() };
}

/** The hooks that run under an approval, in the order in which the card lists them. */
export function approvedHooks(approval: Approval): { facts: HookFacts & { name: string }; bundle: string }[] {
  return approval.hooks.flatMap((facts) => {
    const bundle = Object.hasOwn(approval.bundles, facts.name) ? approval.bundles[facts.name] : undefined;
    return bundle === undefined ? [] : [{ facts, bundle }];
  });
}

/** Why none of a card's hooks run, in one sentence. */
export function explainOff(why: "no-grant" | "revoked" | "expired", scope: CommandScope): string {
  switch (why) {
    case "no-grant":
      return `nobody on this machine has consented to its hooks in ${placeIn(scope)}`;
    case "revoked":
      return "the consent to its hooks was revoked";
    case "expired":
      return "the consent to its hooks has ended, as its terms say: they are silent";
  }
}

/** Why a version doesn't run yet, and what is in force meanwhile, in one sentence. */
export function explainWait(why: WaitReason, approval: Approval | undefined): string {
  const meanwhile = approval === undefined ? "nothing of it runs" : `${approval.cardVersion} stays in force`;
  return `${explainReason(why)}; ${meanwhile}`;
}

function explainReason(why: WaitReason): string {
  switch (why.because) {
    case "project":
      return "another folder is where the consent was given";
    case "range":
      return `the installed version is outside the range ${why.range} that was consented to`;
    case "earlier":
      return `it is earlier than ${why.than}, which was approved last${describeLoss(why.differences)}`;
    case "source":
      return `it comes from ${why.to}, but the consent is for ${why.from}`;
    case "publisher":
      return explainPublisher(why.from, why.to);
    case "replaced":
      return `its content is not the one that was approved under the same version (approved: ${why.from}, installed: ${why.to})`;
    case "unsigned":
      return "it is not signed, and does not come from this machine's own registry";
    case "agent":
      return "it was published inside an agent's tool call, so no person is known to have seen it";
    case "unattested":
      return "it is not signed, and nothing on this machine says that a person published it";
    case "yanked":
      return "its publisher has yanked it";
    case "age":
      return `this machine has not known it for long enough: it joins by itself after ${why.joinsAt}`;
    case "unbound":
      return "unlike the approved version, it may do more than deny and ask";
    case "skills":
      return `nobody has consented to what ${why.skills.map((name) => `skill ${name}`).join(" and ")} would make an agent do`;
    case "ceiling":
      return `it ${describeDirection(why.differences)}${describeDifferences(why.differences)}`;
  }
}

function explainPublisher(from: string | null, to: string | null): string {
  if (to === null) return `it is not signed, but the consent is for what ${from} signs`;
  return from === null
    ? `it is signed by ${to}, but the consent is for a card that was not signed`
    : `it is signed by ${to}, but the consent is for what ${from} signs`;
}

function describeDirection(differences: readonly CeilingDifference[]): string {
  return differences.some(isWeaker) ? "guards less than what was consented to, and " : "";
}

function describeLoss(differences: readonly CeilingDifference[]): string {
  if (differences.length === 0) return "";
  return `, and ${describeDirection(differences)}${describeDifferences(differences)}`;
}

function describeDifferences(differences: readonly CeilingDifference[]): string {
  return `differs from what was consented to: ${differences.map(describeDifference).join(", ")}`;
}

/** `guard: kind enforcement → observer` */
export function describeDifference({ hook, what, from, to }: CeilingDifference): string {
  if (what === "added") return `${hook}: added (${to})`;
  if (what === "removed") return `${hook}: removed (${from})`;
  return `${hook}: ${what} ${from} → ${to}`;
}
