import { constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { layout } from "../contract/layout.ts";
import { hasPassed, LEDGER_VERSION, type Ledger, LONGEST_PAUSE_MS } from "../contract/ledger.ts";
import { PLAN_VERSION, type PlannedPolicy } from "../contract/plan.ts";
import { type Consented, compareWithGrants, isGrant, isInstantOrNull } from "./consent.ts";
import { digestOf } from "./digest.ts";
import { isPlannedPolicy } from "./plan-shape.ts";
import { fieldOf, isDigest, isListOf, isRecord } from "./shape.ts";

/** What the machine's records say about one project. */
export type State =
  | { kind: "silent" }
  /** A person lets every call through until then. */
  | { kind: "paused"; until: string }
  | { kind: "damaged"; reason: string }
  | { kind: "live"; plan: string; policies: PlannedPolicy[] };

export interface Place {
  home: string;
  key: string;
}

const LARGEST_FILE = 16 * 1024 * 1024;
const MEND_PLAN = "run `drwn write`";
const MEND_CONSENT = "run `drwn card trust <card> --hooks` for each card whose hooks you want";

/**
 * The policies that may run: planned, and consented to. Whatever is missing or altered on the way is damage, never
 * emptiness. Policies whose consent was withdrawn are left out.
 */
export function loadState(place: Place, now: number = Date.now()): State {
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
  const plan = readPlan(place, named);
  if (typeof plan === "string") return damaged(`the plan of this project is ${plan}`, MEND_PLAN);
  const consented = compareWithGrants(plan, grants, now);
  if (consented.kind === "otherwise") return explainOtherwise(consented);
  const { policies } = consented;
  return policies.length === 0 ? { kind: "silent" } : { kind: "live", plan: named, policies };
}

function explainOtherwise({ policy: { card, hook }, how }: Extract<Consented, { kind: "otherwise" }>): State {
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
    (plan === null || isDigest(plan)) &&
    isInstantOrNull(fieldOf(value, "pausedUntil")) &&
    isListOf(fieldOf(value, "grants"), isGrant)
  );
}

function readPlan({ home, key }: Place, digest: string): PlannedPolicy[] | string {
  const bytes = readBytes(layout.plan(home, key, digest));
  if (typeof bytes === "string") return bytes;
  if (digestOf(bytes) !== digest) return "altered";
  const plan = parse(bytes);
  if (!isRecord(plan) || fieldOf(plan, "version") !== PLAN_VERSION) return "malformed";
  const policies = fieldOf(plan, "policies");
  return isListOf(policies, isPlannedPolicy) ? policies : "malformed";
}

/**
 * The bytes of a file, or a word for why there are none: also what `refuse` says against it. The process is short: it does
 * not close what it opens.
 */
export function readBytes(file: string, refuse?: (stat: Stats) => string | undefined): Buffer | string {
  try {
    // Non-blocking: a pipe put in the place of a file must not hold up the hook until the agent gives up on it.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (refuse === undefined ? 0 : constants.O_NOFOLLOW);
    const fd = openSync(file, flags);
    const stat = fstatSync(fd);
    const fault = refuse?.(stat);
    if (fault !== undefined) return fault;
    return stat.isFile() && stat.size <= LARGEST_FILE ? readFileSync(fd) : "unreadable";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" ? "missing" : code === "ELOOP" ? "is a symbolic link" : "unreadable";
  }
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
