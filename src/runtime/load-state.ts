import { lstatSync, type Stats } from "node:fs";
import { layout } from "../contract/layout.ts";
import { hasPassed, LEDGER_VERSION, type Ledger, LONGEST_PAUSE_MS } from "../contract/ledger.ts";
import { PLAN_VERSION, type PlannedCard } from "../contract/plan.ts";
import { compareWithGrants, isGrant, isInstantOrNull, type Otherwise } from "./consent.ts";
import { digestOf } from "./digest.ts";
import { isPlannedPolicy } from "./plan-shape.ts";
import { type Place, readBytes } from "./read-file.ts";
import { fieldOf, isDigest, isListOf, isRecord } from "./shape.ts";
import { isShardedPlan, type LoadedPolicy, readShards, type Wanted } from "./shards.ts";

/** What the machine's records say about one project. */
export type State =
  | { kind: "silent" }
  /** A person lets every call through until then. */
  | { kind: "paused"; until: string }
  | { kind: "damaged"; reason: string }
  | { kind: "live"; plan: string; policies: LoadedPolicy[] };

const MEND_PLAN = "run `drwn write`";
const MEND_CONSENT = "run `drwn card trust <card> --hooks` for each card whose hooks you want";

/**
 * The policies that may run: planned, and consented to. Whatever is missing or altered on the way is damage, never
 * emptiness. Policies whose consent was withdrawn are left out, and of a large plan those that do not concern the event.
 */
export function loadState(place: Place, now: number = Date.now(), wanted?: Wanted): State {
  const ledger = readLedger(place);
  if (typeof ledger === "string") {
    return damaged(`the record of what you consented to in this project ${ledger}`, MEND_CONSENT);
  }
  const { plan: named, grants, pausedUntil } = ledger;
  if (pausedUntil !== null && !hasPassed(pausedUntil, now)) {
    return Date.parse(pausedUntil) - now <= LONGEST_PAUSE_MS
      ? { kind: "paused", until: pausedUntil }
      : damaged("the policies of this project are paused for longer than drwn pauses them", "run `drwn pause --help`");
  }
  if (named === null) return { kind: "silent" };
  const plan = readPlan(place, named, wanted);
  if (typeof plan === "string") return damaged(`the plan of this project is ${plan}`, MEND_PLAN);
  const consented = compareWithGrants(plan, grants, now);
  if (consented.kind === "otherwise") return explainOtherwise(consented);
  const { policies, isAnyStanding } = consented;
  // That no policy wants this event is no silence of the project.
  return policies.length > 0 || (plan.cards !== null && isAnyStanding)
    ? { kind: "live", plan: named, policies }
    : { kind: "silent" };
}

function explainOtherwise({ card, hook, how }: Otherwise): State {
  return how === "weaker"
    ? damaged(`the plan of this project asks less of ${card} than you consented to`, MEND_PLAN)
    : damaged(
        `the plan of this project runs ${card}#${hook}, which you did not consent to`,
        `run \`drwn write\`, or \`drwn card trust ${card} --hooks\``,
      );
}

/** The ledger, or what is wrong with it. */
function readLedger({ home, key }: Place): Ledger | string {
  const folder = describeUnsafe(lstatSync(layout.ledgers(home), { throwIfNoEntry: false }));
  if (folder !== undefined) return `lies in a folder that ${folder}`;
  const file = layout.ledger(home, key);
  const bytes = readBytes(file, describeUnsafe);
  if (typeof bytes === "string") return bytes === "missing" || bytes === "unreadable" ? `is ${bytes}` : bytes;
  const ledger = parse(bytes);
  const version = isRecord(ledger) ? fieldOf(ledger, "version") : undefined;
  if (typeof version === "number" && version !== LEDGER_VERSION) return "was written by another version of drwn";
  return isLedger(ledger) ? ledger : "is malformed";
}

/** What lets somebody else decide what is in it. */
function describeUnsafe(stat: Stats | undefined): string | undefined {
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (process.getuid !== undefined && stat.uid !== process.getuid()) return "belongs to another user";
  return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
}

function isLedger(value: unknown): value is Ledger {
  if (!isRecord(value)) return false;
  const plan = fieldOf(value, "plan");
  return (
    fieldOf(value, "version") === LEDGER_VERSION &&
    (plan === null || isDigest(plan)) &&
    isInstantOrNull(fieldOf(value, "pausedUntil")) &&
    isListOf(fieldOf(value, "grants"), isGrant)
  );
}

/** What was read of a plan; `cards` tells of a large one what all of its policies are. */
interface ReadPlan {
  policies: LoadedPolicy[];
  cards: readonly PlannedCard[] | null;
}

function readPlan(place: Place, digest: string, wanted: Wanted | undefined): ReadPlan | string {
  const bytes = readBytes(layout.plan(place.home, place.key, digest));
  if (typeof bytes === "string") return bytes;
  if (digestOf(bytes) !== digest) return "altered";
  const plan = parse(bytes);
  if (!isRecord(plan) || fieldOf(plan, "version") !== PLAN_VERSION) return "malformed";
  const policies = fieldOf(plan, "policies");
  if (isListOf(policies, isPlannedPolicy)) return { policies, cards: null };
  if (!isShardedPlan(plan)) return "malformed";
  const sharded = readShards(place, plan, wanted);
  return typeof sharded === "string" ? sharded : { policies: sharded, cards: plan.cards };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return "malformed";
  }
}

function damaged(what: string, mend: string): State {
  return { kind: "damaged", reason: `${what}, so no tool call is let through; ${mend}` };
}
