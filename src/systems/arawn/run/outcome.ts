/** What Arawn's dispatcher says of an event. */
export type ArawnOutcome =
  | { outcome: "allow" }
  /** The tool is not run; the agent does not hand back. `reason` is what it is told. */
  | { outcome: "block"; reason: string }
  /** Text for the agent. */
  | { outcome: "info"; output: string };

export const ALLOW: ArawnOutcome = { outcome: "allow" };

export function block(reason: string): ArawnOutcome {
  return { outcome: "block", reason };
}

/** Parts of text, one to a line; nothing to say is allow. */
export function info(parts: readonly string[]): ArawnOutcome {
  return parts.length === 0 ? ALLOW : { outcome: "info", output: parts.join("\n") };
}

/** What the agent gets in place of a tool's result. */
export function blockedResult(reason: string): string {
  return `Blocked by hook: ${reason}`;
}
