import { constants, fstatSync, openSync, readFileSync } from "node:fs";
import { layout } from "../contract/layout.ts";
import { LEDGER_VERSION } from "../contract/ledger.ts";
import { PLAN_VERSION, type PlannedPolicy } from "../contract/plan.ts";
import { digestOf } from "./digest.ts";
import { isPlannedPolicy } from "./plan-shape.ts";
import { type Fields, fieldOf, isDigest, isListOf, isRecord, isText } from "./shape.ts";

/** What the machine's records say about one project. */
export type State =
  | { kind: "silent" }
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
export function loadState(place: Place): State {
  const ledger = readJson(layout.ledger(place.home, place.key));
  if (!isRecord(ledger) || !isLedger(ledger)) {
    return damaged(`the record of what you consented to in this project is ${faultOf(ledger)}`, MEND_CONSENT);
  }
  const named = fieldOf(ledger, "plan");
  if (named === null) return { kind: "silent" };
  if (!isDigest(named))
    return damaged("the record of what you consented to in this project is malformed", MEND_CONSENT);
  const plan = readPlan(place, named);
  if (typeof plan === "string") return damaged(`the plan of this project is ${plan}`, MEND_PLAN);
  return consentedTo(plan, named, fieldOf(ledger, "grants") as Fields[]);
}

function consentedTo(planned: PlannedPolicy[], plan: string, grants: readonly Fields[]): State {
  const policies: PlannedPolicy[] = [];
  for (const policy of planned) {
    const ofCard = grants.filter((grant) => fieldOf(grant, "card") === policy.card);
    const standing = ofCard.filter((grant) => fieldOf(grant, "revokedAt") === null);
    if (ofCard.length > 0 && standing.length === 0) continue;
    if (!standing.some((grant) => isApproved(grant, policy))) {
      return damaged(
        `the plan of this project runs ${policy.card}#${policy.hook}, which you did not consent to`,
        `run \`drwn write\`, or \`drwn card trust ${policy.card} --hooks\``,
      );
    }
    policies.push(policy);
  }
  return policies.length === 0 ? { kind: "silent" } : { kind: "live", plan, policies };
}

function isApproved(grant: Fields, { hook, bundle }: PlannedPolicy): boolean {
  return (fieldOf(grant, "approved") as Fields[]).some((approval) => {
    const bundles = fieldOf(approval, "bundles");
    return isRecord(bundles) && fieldOf(bundles, hook) === bundle;
  });
}

function isLedger(ledger: Fields): boolean {
  return fieldOf(ledger, "version") === LEDGER_VERSION && isListOf(fieldOf(ledger, "grants"), isGrant);
}

function isGrant(grant: unknown): grant is Fields {
  if (!isRecord(grant)) return false;
  const revokedAt = fieldOf(grant, "revokedAt");
  return (
    isText(fieldOf(grant, "card")) &&
    (revokedAt === null || isText(revokedAt)) &&
    isListOf(fieldOf(grant, "approved"), isRecord)
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

/** The bytes of a file, or a word for why there are none. The process is short: it does not close what it opens. */
export function readBytes(file: string): Buffer | "missing" | "unreadable" {
  try {
    // Non-blocking: a pipe put in the place of a file must not hold up the hook until the agent gives up on it.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= LARGEST_FILE ? readFileSync(fd) : "unreadable";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing" : "unreadable";
  }
}

/** The parsed file, or a word for why there is none. */
function readJson(file: string): unknown {
  const bytes = readBytes(file);
  return typeof bytes === "string" ? bytes : parse(bytes);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return "malformed";
  }
}

function faultOf(read: unknown): string {
  return read === "missing" || read === "unreadable" ? read : "malformed";
}

function damaged(what: string, mend: string): State {
  return { kind: "damaged", reason: `${what}, so no tool call is let through; ${mend}` };
}
