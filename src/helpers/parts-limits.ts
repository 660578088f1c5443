/** How many milliseconds a policy that asks a model or runs a command may take. */
export const LONGEST_MS = 30_000;

/** The reason of a gate; if none is given, one that names the policy. */
export function gateReason(name: string, gate: string | true | undefined): string {
  return typeof gate === "string" && gate.trim() !== "" ? gate : `Blocked by policy: ${name}`;
}
