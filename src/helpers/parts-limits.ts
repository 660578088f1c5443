/** Milliseconds that a policy may take which asks a model or runs a command. */
export const LONGEST_MS = 30_000;

/** The reason of a gate; one that names the policy where none is given. */
export function gateReason(name: string, gate: string | true | undefined): string {
  return typeof gate === "string" && gate.trim() !== "" ? gate : `Blocked by policy: ${name}`;
}
