import { drwn, type Text } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";

/**
 * What a fault leads to: a call that a policy would deny runs (`opens`), nobody here can tell (`hides`), no policy runs
 * because a person said so (`pauses`), no call runs (`blocks`), a version decides that is earlier than the last consent
 * (`lags`), or a person should merely look at it (`nothing`).
 */
export type Consequence = "opens" | "hides" | "pauses" | "blocks" | "lags" | "nothing";

/** Something about a guard that isn't as it should be. */
export interface GuardFault {
  comesTo: Consequence;
  finding: Finding;
}

/** `drwn write` would fix it. */
export const NOT_WRITTEN = "not-written";

/** Somebody consented to policies, but no agent was found to run them. */
export const NO_AGENT = "no-agent";

export function faultFinding(code: string, subject: string, message: string, hint: Text): Finding {
  return { code, severity: "error", subject, message, hint };
}

/** Whether the fault means that a guard isn't in force; that nobody could look at something doesn't. */
export function breaksGuard({ comesTo, finding }: GuardFault): boolean {
  return comesTo !== "nothing" && (comesTo !== "hides" || finding.severity === "error");
}

/** Nothing runs the policies that were consented to, and an agent that is installed later would run without them. */
export function noAgent(root: string): GuardFault {
  const message = "no agent was found on this machine, and nobody named one";
  return { comesTo: "opens", finding: faultFinding(NO_AGENT, root, message, drwn("write", "--also", "claude-code")) };
}
