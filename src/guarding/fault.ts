import type { Finding } from "../kernel/finding.ts";

/**
 * What comes of a fault: a call that a policy would deny runs (`opens`), nobody here can tell (`hides`), nothing runs because a person
 * said so (`pauses`), no call runs at all (`blocks`), an earlier version decides than was consented to last (`lags`), or it is merely to
 * be looked at (`nothing`).
 */
export type Consequence = "opens" | "hides" | "pauses" | "blocks" | "lags" | "nothing";

/** Something of a guard that is not as it should be. */
export interface GuardFault {
  comesTo: Consequence;
  finding: Finding;
}

/** What `drwn write` would put in its place. */
export const NOT_WRITTEN = "not-written";

export function faultFinding(code: string, subject: string, message: string, hint: string): Finding {
  return { code, severity: "error", subject, message, hint };
}

/** Of what merely nobody could look at, nothing says that it doesn't stand. */
export function undoes({ comesTo, finding }: GuardFault): boolean {
  return comesTo !== "nothing" && (comesTo !== "hides" || finding.severity === "error");
}
