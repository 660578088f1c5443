/** What Arawn's dispatcher says about an event. */
export type ArawnOutcome =
  | { outcome: "allow" }
  /** The tool doesn't run, or the agent doesn't hand back. The agent gets `reason`. */
  | { outcome: "block"; reason: string }
  /** Text for the agent. */
  | { outcome: "info"; output: string };

export const ALLOW: ArawnOutcome = { outcome: "allow" };

export function block(reason: string): ArawnOutcome {
  return { outcome: "block", reason };
}

/** Joins parts of text, one to a line. No parts means allow. */
export function info(parts: readonly string[]): ArawnOutcome {
  return parts.length === 0 ? ALLOW : { outcome: "info", output: parts.join("\n") };
}

/** What the agent gets in place of a tool's result. */
export function blockedResult(reason: string): string {
  return `Blocked by hook: ${reason}`;
}
