import { isHarmless, reservedMs, togetherSeconds } from "../../contract/processes.ts";
import { min, now } from "../../hook-base/primordials.ts";
import type { EventPowers } from "../../policy/lifecycle-events.ts";
import type { Callback } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";

/** When all policies together must have ended, in milliseconds since this process started. */
export interface Deadlines {
  until: number;
  /** The same for observers and shadows; it is earlier, so that policies that may block are asked in time. */
  harmlessUntil: number;
}

/** Which policies to ask. */
interface PoliciesToAsk {
  /** A policy that is asked about several parts of a call is listed several times. */
  policies: readonly PreparedPolicy[];
  callback: Callback;
  /** For lifecycle hooks: which answers the event allows. Null for tool policies. */
  powers: EventPowers | null;
}

/** The ends if each policy runs in a worker, which can be ended without ending this process. */
export function deadlinesFor({ policies }: Pick<PoliciesToAsk, "policies">, until: number): Deadlines {
  return { until, harmlessUntil: until - reservedMs(distinct(policies), until - now()) };
}

/**
 * The ends if this process runs all policies: those that cannot block must end well before the process reaches its CPU
 * limit.
 */
export function deadlinesInOneProcess(work: PoliciesToAsk, until: number): Deadlines {
  const loops = min(until, now() + togetherSeconds(distinct(work.policies)) * 1_000);
  const { harmlessUntil } = deadlinesFor(work, loops);
  return { until: mayBlock(work) ? until : loops, harmlessUntil };
}

export function deadlineForPolicy({ until, harmlessUntil }: Deadlines, policy: PreparedPolicy): number {
  return isHarmless(policy) ? harmlessUntil : until;
}

function mayBlock({ callback, powers }: PoliciesToAsk): boolean {
  return powers === null ? callback === "beforeToolCall" : powers.hold !== null;
}

function distinct(policies: readonly PreparedPolicy[]): PreparedPolicy[] {
  return [...new Set(policies)];
}
