import { isHarmless, reservedMs, togetherSeconds } from "../contract/processes.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { min } from "./primordials.ts";

/** When policies together must have ended, in milliseconds since this process started. */
export interface Ends {
  until: number;
  /** Observers and shadows, so that whoever may block is asked in time. */
  harmlessUntil: number;
}

/** Of the policies that one call concerns. One that is asked about several parts of it may stand there several times. */
export function endsOf(policies: readonly PreparedPolicy[], begun: number, until: number): Ends {
  return { until, harmlessUntil: until - reservedMs([...new Set(policies)], until - begun) };
}

/** The same where one process runs them all. */
export function endsInOneProcess(policies: readonly PreparedPolicy[], begun: number, until: number): Ends {
  return endsOf(policies, begun, min(until, begun + togetherSeconds([...new Set(policies)]) * 1_000));
}

export function endFor({ until, harmlessUntil }: Ends, policy: PreparedPolicy): number {
  return isHarmless(policy) ? harmlessUntil : until;
}
