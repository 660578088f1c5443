import { isHarmless, reservedMs, togetherSeconds } from "../../contract/processes.ts";
import { min, now } from "../../hot/primordials.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import type { Callback } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";

/** When policies together must have ended, in milliseconds since this process started. */
export interface Ends {
  until: number;
  /** Observers and shadows, so that whoever may block is asked in time. */
  harmlessUntil: number;
}

/** Whom to ask. */
interface Asking {
  /** A policy that is asked about several parts of a call is in it several times. */
  policies: readonly PreparedPolicy[];
  callback: Callback;
  /** Of lifecycle hooks, what the event can take; null of tool policies. */
  powers: EventPowers | null;
}

/** Of the policies that one call concerns, each in a process that ends without this one. */
export function endsOf({ policies }: Pick<Asking, "policies">, until: number): Ends {
  return { until, harmlessUntil: until - reservedMs(distinct(policies), until - now()) };
}

/** The same where this process runs them all: those whose failure does not end the call must not bring it to its last second. */
export function endsInOneProcess(work: Asking, until: number): Ends {
  const loops = min(until, now() + togetherSeconds(distinct(work.policies)) * 1_000);
  const { harmlessUntil } = endsOf(work, loops);
  return { until: mayBlock(work) ? until : loops, harmlessUntil };
}

export function endFor({ until, harmlessUntil }: Ends, policy: PreparedPolicy): number {
  return isHarmless(policy) ? harmlessUntil : until;
}

function mayBlock({ callback, powers }: Asking): boolean {
  return powers === null ? callback === "beforeToolCall" : powers.hold !== null;
}

function distinct(policies: readonly PreparedPolicy[]): PreparedPolicy[] {
  return [...new Set(policies)];
}
