import { hookLayout } from "../../contract/hook-layout.ts";
import { type Exception, type HookFacts, hasPassed, type Ledger, LONGEST_PAUSE_MS } from "../../contract/ledger.ts";
import { PLAN_VERSION, type PlannedCard, type ShardedPlan } from "../../contract/plan.ts";
import { commandInScope, faultClause, GLOBAL_KEY, isManagedHome, scopeSuffix } from "../../contract/scopes.ts";
import { digestOfFile } from "../../hook-base/digest.ts";
import { decodeBytes } from "../../hook-base/primordials.ts";
import { readBytes, type StateLocation } from "../../hook-base/read-file.ts";
import { fieldOf, isListOf, isRecord } from "../../hook-base/shape.ts";
import { currentExceptions } from "../exceptions/exceptions.ts";
import { type ConsentMismatch, compareWithGrants } from "./consent.ts";
import { isPlannedPolicy } from "./plan-shape.ts";
import { isReplaced, loadLedger, parseRecord, refusalIn } from "./read-ledger.ts";
import { isShardedPlan, type LoadedPolicy, readShards, type ShardFilter } from "./shards.ts";

/** What the machine's records say about one project. */
type State =
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
function judgeLedger(
  place: StateLocation,
  ledger: Ledger | string,
  { now, wanted }: { now: number; wanted: ShardFilter | undefined },
): State {
  const suffix = scopeSuffix(place);
  if (typeof ledger === "string") {
    const fix = `run ${commandInScope(place, isReplaced(ledger) ? "trust" : "doctor")}`;
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
  if (typeof file === "string") return damaged(`the plan ${suffix} ${faultClause(file)}`, mendPlan(place));
  const plan = readPlan(place, file, wanted);
  if (typeof plan === "string") return damaged(`a compiled policy ${suffix} ${faultClause(plan)}`, mendPlan(place));
  const consented = compareWithGrants(plan, grants, now);
  if (consented.kind === "otherwise") return explainOtherwise(consented, place);
  const { isAnyStanding } = consented;
  // Each policy heeds the exceptions of its own scope alone, and what root wants for every user heeds none.
  const exceptions = isManagedHome(place.home) ? [] : (ledger.exceptions ?? []);
  const policies = withExceptions(consented.policies, exceptions, now);
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
type PlanFile = { policies: LoadedPolicy[] } | (Pick<ShardedPlan, "cards" | "shards"> & { plan: string });

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

/** Whose consents they are, and the ledger that was read; a text says what is wrong with it. */
export interface Scope {
  key: string;
  ledger: Ledger | string;
  root: string;
  /** The part of its plan that was read before the event came. */
  plan?: PlanFile | string | undefined;
}

/** What all scopes that hold in a folder say together. */
type JointState = Exclude<State, { kind: "live" }> | (Extract<State, { kind: "live" }> & { pause: string | null });

/**
 * Judges the scopes in their order; later ones cannot loosen earlier ones. Damage to one counts for all, a pause
 * silences only its own scope's policies, and the policies of all scopes form one list.
 */
export function judgeScopes(
  home: string,
  scopes: readonly Scope[],
  at: { now: number; wanted: ShardFilter | undefined },
): JointState {
  const policies: LoadedPolicy[] = [];
  let plan = "";
  let paused: Extract<State, { kind: "paused" }> | null = null;
  for (const { key, ledger, root } of scopes) {
    const place: StateLocation = { home, key };
    const state = judgeLedger(place, ledger, at);
    if (state.kind === "damaged") return state;
    if (state.kind === "paused") paused ??= state;
    if (state.kind !== "live") continue;
    plan = plan === "" ? state.plan : `${plan} ${state.plan}`;
    for (const policy of state.policies) {
      policy.scope = key;
      policy.root = root;
      policies.push(policy);
    }
  }
  if (plan !== "") return { kind: "live", plan, policies, pause: paused === null ? null : describePause(paused) };
  return paused ?? { kind: "silent" };
}

/** For the journal. */
export function describePause({ until, key }: Extract<State, { kind: "paused" }>): string {
  return `all ${key === GLOBAL_KEY ? "global " : ""}policies are paused until ${until}`;
}
