import { hookLayout } from "../../contract/hook-layout.ts";
import { type Exception, type HookFacts, hasPassed, type Ledger, LONGEST_PAUSE_MS } from "../../contract/ledger.ts";
import { isManagedHome } from "../../contract/managed-home.ts";
import { PLAN_VERSION, type PlannedCard, type ShardedPlan } from "../../contract/plan.ts";
import { GLOBAL_KEY } from "../../contract/scope.ts";
import { digestOfFile } from "../../hot/digest.ts";
import { decodeBytes } from "../../hot/primordials.ts";
import { readBytes, type StateLocation } from "../../hot/read-file.ts";
import { fieldOf, isListOf, isRecord } from "../../hot/shape.ts";
import { currentExceptions } from "../exceptions/exceptions.ts";
import { type ConsentMismatch, compareWithGrants } from "./consent.ts";
import { commandInScope, faultClause, scopeSuffix } from "./describe-scope.ts";
import { refusalIn } from "./ownership.ts";
import { isPlannedPolicy } from "./plan-shape.ts";
import { loadLedger, parseRecord } from "./read-ledger.ts";
import { isShardedPlan, type LoadedPolicy, readShards, type ShardFilter } from "./shards.ts";

/** What the machine's records say about one project. */
export type State =
  | { kind: "silent" }
  /** A person lets every call through until then. */
  | { kind: "paused"; until: string; key: string }
  | { kind: "damaged"; reason: string }
  | { kind: "live"; plan: string; policies: LoadedPolicy[] };

const mendPlan = (place: StateLocation): string => `run ${commandInScope(place, "write")}`;

/**
 * The policies that may run: planned and consented to. Anything missing or altered counts as damage, never as an empty
 * plan. Policies whose consent was withdrawn are left out, and in a large plan also those that do not concern the
 * event.
 */
export function loadState(place: StateLocation, now: number = Date.now(), wanted?: ShardFilter): State {
  return judgeLedger(place, loadLedger(place), { now, wanted });
}

/** The same for a ledger that has been read already. */
export function judgeLedger(
  place: StateLocation,
  ledger: Ledger | string,
  { now, wanted }: { now: number; wanted: ShardFilter | undefined },
): State {
  const suffix = scopeSuffix(place);
  if (typeof ledger === "string") {
    const fix = `run ${commandInScope(place, "card trust <card> --hooks")} for each card whose hooks you want`;
    return damaged(`the record of what ${consentedIn(place)} ${ledger}`, fix);
  }
  const { plan: named, grants, pausedUntil } = ledger;
  if (pausedUntil !== null && !hasPassed(pausedUntil, now)) {
    return Date.parse(pausedUntil) - now <= LONGEST_PAUSE_MS
      ? { kind: "paused", until: pausedUntil, key: place.key }
      : damaged(
          `the policies ${suffix} are paused for longer than drwn allows`,
          `run ${commandInScope(place, "pause --end")}`,
        );
  }
  if (named === null) return { kind: "silent" };
  const file = readPlanFile(place, named);
  const plan = typeof file === "string" ? file : readPlan(place, file, wanted);
  if (typeof plan === "string") return damaged(`the plan ${suffix} ${faultClause(plan)}`, mendPlan(place));
  const consented = compareWithGrants(plan, grants, now);
  if (consented.kind === "otherwise") return explainOtherwise(consented, place);
  const { isAnyStanding } = consented;
  // Policies for every folder rank above the project, so exceptions don't apply to them.
  const isAbove = place.key === GLOBAL_KEY;
  const policies = isAbove ? consented.policies : withExceptions(consented.policies, ledger.exceptions ?? [], now);
  // A project is live even if no policy wants this event.
  return policies.length > 0 || (plan.cards !== null && isAnyStanding)
    ? { kind: "live", plan: named, policies }
    : { kind: "silent" };
}

function consentedIn({ home, key }: StateLocation): string {
  if (isManagedHome(home)) return "root consented to for this machine";
  return `you consented to ${key === GLOBAL_KEY ? "for every folder" : "in this project"}`;
}

function withExceptions<P extends LoadedPolicy & { facts: HookFacts }>(
  policies: P[],
  exceptions: readonly Exception[],
  now: number,
): LoadedPolicy[] {
  if (exceptions.length === 0) return policies;
  return policies.map((policy) => ({ ...policy, exceptions: currentExceptions(exceptions, policy, now) }));
}

function explainOtherwise({ card, hook, how }: ConsentMismatch, place: StateLocation): State {
  const suffix = scopeSuffix(place);
  return how === "weaker"
    ? damaged(`the plan ${suffix} asks less of ${card} than you consented to`, mendPlan(place))
    : damaged(
        `the plan ${suffix} runs ${card}#${hook}, which you did not consent to`,
        `${mendPlan(place)}, or ${commandInScope(place, `card trust ${card} --hooks`)}`,
      );
}

/** The part of a plan that was read; for a large plan, `cards` describes all of its policies. */
interface ReadPlan {
  policies: LoadedPolicy[];
  cards: readonly PlannedCard[] | null;
}

/** The file of a plan: its policies, or what is needed to read those that an event concerns. */
export type PlanFile = { policies: LoadedPolicy[] } | (Pick<ShardedPlan, "cards" | "shards"> & { plan: string });

/** The plan of this digest, or what is wrong with its file. */
function readPlanFile(place: StateLocation, digest: string): PlanFile | string {
  const bytes = readBytes(hookLayout.plan(place.home, place.key, digest), refusalIn(place.home));
  if (typeof bytes === "string") return bytes;
  if (digestOfFile(bytes) !== digest) return "altered";
  const plan = parseRecord(decodeBytes(bytes));
  if (!isRecord(plan) || fieldOf(plan, "version") !== PLAN_VERSION) return "malformed";
  const policies = fieldOf(plan, "policies");
  if (isListOf(policies, isPlannedPolicy)) return { policies };
  return isShardedPlan(plan) ? { plan: digest, cards: plan.cards, shards: plan.shards } : "malformed";
}

function readPlan(place: StateLocation, file: PlanFile, wanted: ShardFilter | undefined): ReadPlan | string {
  if ("policies" in file) return { policies: file.policies, cards: null };
  const sharded = readShards(place, file, wanted);
  return typeof sharded === "string" ? sharded : { policies: sharded, cards: file.cards };
}

function damaged(what: string, fix: string): State {
  return { kind: "damaged", reason: `${what}, so no tool call is let through; ${fix}` };
}
