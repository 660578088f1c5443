import { isHarmless, reservedMs, togetherSeconds } from "../../contract/processes.ts";
import { min, now } from "../../hot/primordials.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import type { Callback } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";

/** When all policies together must have ended, in milliseconds since this process started. */
export interface Ends {
  until: number;
  /** The same for observers and shadows; it is earlier, so that policies that may block are asked in time. */
  harmlessUntil: number;
}

/** Which policies to ask. */
interface Asking {
  /** A policy that is asked about several parts of a call is listed several times. */
  policies: readonly PreparedPolicy[];
  callback: Callback;
  /** For lifecycle hooks: which answers the event allows. Null for tool policies. */
  powers: EventPowers | null;
}

/** The ends if each policy runs in a worker, which can be ended without ending this process. */
export function endsOf({ policies }: Pick<Asking, "policies">, until: number): Ends {
  return { until, harmlessUntil: until - reservedMs(distinct(policies), until - now()) };
}

/**
 * The ends if this process runs all policies: those that cannot block must end well before the process reaches its CPU
 * limit.
 */
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
