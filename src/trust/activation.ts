import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { compareVersions, satisfies } from "../card/version.ts";
import { type Approval, DRWN_ITSELF, type Grant, type HookFacts } from "../contract/ledger.ts";
import { type CeilingDifference, consentedHooks, differencesFromCeiling, differingSkills } from "./ceiling.ts";

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
  /** Exactly this content was approved, and nothing was after it. */
  | { state: "active"; approval: Approval }
  /** The grant covers it without a person: it only has to be recorded, and to be compiled where it was not yet. */
  | { state: "joins" }
  /**
   * It does not run yet; until then `approval`, the last one, stays in force. `stops`: something that must not happen to
   * a published card has happened.
   */
  | { state: "waits"; outcome: "waits" | "stops"; approval: Approval | undefined; why: WaitReason };

export type WaitReason =
  /** Another folder is at the path where the consents were given. */
  | { because: "project" }
  | { because: "range"; range: string }
  /** Than the one that is in force, in a lock that went back; with what it guards otherwise. */
  | { because: "earlier"; than: string; differences: CeilingDifference[] }
  | { because: "source"; from: string; to: string }
  /** null: not signed. */
  | { because: "publisher"; from: string | null; to: string | null }
  /** The version was approved with other content: a published version never changes. */
  | { because: "replaced"; from: string; to: string }
  | { because: "unsigned" }
  /** It was published inside an agent's tool call: no person is known to have seen it. */
  | { because: "agent" }
  /** It is not signed, and nothing says that a person published it. */
  | { because: "unattested" }
  | { because: "yanked" }
  | { because: "ceiling"; differences: CeilingDifference[] }
  /** They are code that nobody has consented to. */
  | { because: "skills"; skills: string[] }
  /** The version in force binds itself to saying no, and this one does not. */
  | { because: "unbound" }
  /** It joins by itself then. */
  | { because: "age"; joinsAt: string };

/** The registry on this machine, where a card that was never signed may join by itself: its records say who published it. */
export const OWN_REGISTRY = "folder:default";

/** What the machine knows, and wants, of versions that would join by themselves. */
export interface JoinRules {
  now: Date;
  /** How long the machine must have known a version from outside before it joins. */
  releaseAgeHours: number;
  /** Whether another folder is at the path where the consents were given. */
  isOtherFolder: boolean;
  releaseOf: (tree: string) => { firstSeenAt: string; yankedAt: string | null } | undefined;
  /** Who published this content, as a registry's record says. That a person did counts from this machine's own one alone. */
  publishedBy: (offered: Omit<OfferedCard, "publisher" | "hooks">) => "person" | "agent" | "drwn" | null;
  /** The key with which this user signs the card's scope; null: there is none. */
  ownKeyOf: (card: string) => string | null;
  /** Whether the card of these contents is known to bind itself to saying no. */
  isRestrictOnly: (tree: string) => boolean;
  /** Digests of what its skills run, by name, as far as they are code. */
  skillCodeOf: (tree: string) => Readonly<Record<string, string>>;
}

/**
 * What was approved last is in force. Whatever else a lock names is judged against it, also what was approved once before: a
 * repository that goes back to an earlier version would take a guard back to its weaker days.
 */
export function decideActivation(grant: Grant, offered: OfferedCard, rules: JoinRules): Activation {
  const approval = grant.approved.find(({ tree }) => tree === offered.tree);
  const isLast = approval !== undefined && approval === grant.approved.at(-1);
  if (isLast && !standsDown(grant, approval)) return { state: "active", approval };
  for (const { outcome, ask } of rulesFor(grant, approval)) {
    const why = ask({ grant, offered, rules });
    if (why !== undefined) return { state: "waits", outcome, approval: lastInForce(grant), why };
  }
  return { state: "joins" };
}

function rulesFor(grant: Grant, approval: Approval | undefined): readonly UpgradeRule[] {
  if (approval === undefined) return UPGRADE_RULES;
  return standsDown(grant, approval) ? [YANKED] : RETURN_RULES;
}

/** A version that was yanked does not run where the user wants its guard to stand down. */
function standsDown({ onYank }: Pick<Grant, "onYank">, { yankedAt }: Approval): boolean {
  return yankedAt !== null && onYank === "stand-down";
}

/** What stays in force while a version waits, and after it has left the lock; an earlier version does not come back. */
export function lastInForce(grant: Grant): Approval | undefined {
  const last = grant.approved.at(-1);
  return last === undefined || standsDown(grant, last) ? undefined : last;
}

interface Question {
  grant: Grant;
  offered: OfferedCard;
  rules: JoinRules;
}

interface UpgradeRule {
  outcome: "waits" | "stops";
  /** It is about where a content comes from: one that a person has approved is not asked. */
  isForNews?: true;
  /** Undefined: the rule has nothing against it. */
  ask: (question: Question) => WaitReason | undefined;
}

/** What a registry said of a version counts also where the approval does not know it yet. */
const YANKED: UpgradeRule = { outcome: "waits", ask: () => ({ because: "yanked" }) };

/**
 * What keeps a version from taking the place of the one in force. The first rule that applies decides, and the ones that
 * stop come first; a version that none applies to joins.
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
  { outcome: "waits", ask: ({ rules }) => (rules.isOtherFolder ? { because: "project" } : undefined) },
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
  { outcome: "waits", isForNews: true, ask: ({ offered, rules }) => whyUnseen(offered, rules) },
  { outcome: "waits", ask: whyForeign },
  {
    outcome: "waits",
    ask: ({ offered, rules }) =>
      (rules.releaseOf(offered.tree)?.yankedAt ?? null) === null ? undefined : { because: "yanked" },
  },
  { outcome: "waits", ask: ({ grant, offered }) => whyAboveCeiling(grant, offered) },
  { outcome: "waits", ask: whyOtherSkills },
  { outcome: "waits", ask: whyUnbound },
  { outcome: "waits", isForNews: true, ask: ({ offered, rules }) => whyTooNew(offered, rules) },
];

/** The same for a content that was approved before the one in force was: it has been seen. */
const RETURN_RULES: readonly UpgradeRule[] = UPGRADE_RULES.filter(({ isForNews = false }) => !isForNews);

/** Whose versions the consent is for: once a signed one has joined, it is for its key. */
function publisherOf({ publisher, approved }: Grant): string | null {
  const last = approved.at(-1)?.publisher ?? null;
  return publisher ?? (last === DRWN_ITSELF ? null : last);
}

/**
 * A key says who published; without one this machine's registry may, and of a card that came with drwn drwn itself. What an agent published joins nothing, whoever signed
 * it and whatever was consented to before or after.
 */
function whyUnseen(offered: OfferedCard, { publishedBy }: JoinRules): WaitReason | undefined {
  const by = publishedBy(offered);
  if (by === "agent") return { because: "agent" };
  if (by === "drwn") return undefined;
  if (offered.publisher !== null) return undefined;
  if (offered.source !== OWN_REGISTRY) return { because: "unsigned" };
  return by === "person" ? undefined : { because: "unattested" };
}

/** Where this user has begun to sign, the same person publishes to the same place as before, and can show it. */
function whyForeign({ grant, offered, rules }: Question): WaitReason | undefined {
  const [from, to] = [publisherOf(grant), offered.publisher];
  const isOwn = from === null && to !== null && offered.source === OWN_REGISTRY && to === rules.ownKeyOf(offered.name);
  const isSame = from === to || (isOwn && rules.publishedBy(offered) === "person");
  return isSame ? undefined : { because: "publisher", from, to };
}

function whyReplaced(grant: Grant, offered: OfferedCard): WaitReason | undefined {
  const namesake = grant.approved.findLast(({ cardVersion }) => cardVersion === offered.version);
  if (namesake === undefined || namesake.tree === offered.tree || grant.source !== offered.source) return undefined;
  return { because: "replaced", from: namesake.tree, to: offered.tree };
}

/** What is offered inside a range are versions to come: an earlier one has the mistakes that a later one mended. */
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

/** A skill that is code runs what was consented to, word by word; one that is text again needs nobody. */
function whyOtherSkills({ grant, offered, rules }: Question): WaitReason | undefined {
  const skills = differingSkills(grant.skills, rules.skillCodeOf(offered.tree));
  return skills.length > 0 ? { because: "skills", skills } : undefined;
}

/** What may only say no was consented to as that: what may rewrite calls, too, is another thing. */
function whyUnbound({ grant, offered, rules }: Question): WaitReason | undefined {
  const last = grant.approved.at(-1);
  const isBound = grant.mode === "enforce" && last?.restrictOnly === true;
  return isBound && !rules.isRestrictOnly(offered.tree) ? { because: "unbound" } : undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** Most hijacked releases are found within days. Only what this machine's user publishes joins at once. */
function whyTooNew(
  offered: OfferedCard,
  { now, releaseAgeHours, releaseOf, publishedBy }: JoinRules,
): WaitReason | undefined {
  const { tree, source } = offered;
  if (source === OWN_REGISTRY || publishedBy(offered) === "drwn") return undefined;
  const seen = Date.parse(releaseOf(tree)?.firstSeenAt ?? now.toISOString());
  const joins = seen + releaseAgeHours * HOUR_MS;
  return joins <= now.getTime() ? undefined : { because: "age", joinsAt: new Date(joins).toISOString() };
}

/** What runs under an approval, in the order in which the card lists its hooks. */
export function approvedHooks(approval: Approval): { facts: HookFacts & { name: string }; bundle: string }[] {
  return approval.hooks.flatMap((facts) => {
    const bundle = Object.hasOwn(approval.bundles, facts.name) ? approval.bundles[facts.name] : undefined;
    return bundle === undefined ? [] : [{ facts, bundle }];
  });
}
