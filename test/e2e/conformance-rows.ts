import type { PolicyKind } from "../../src/policy/define.ts";
import { BEHAVIOURS, type Behaviour } from "../support/conformance.ts";

/** Rows of the table that no other suite drives through the real programs. */
export const ROWS: readonly (readonly [PolicyKind, Behaviour])[] = [
  ["enforcement", "none"],
  ["enforcement", "log-only"],
  ["enforcement", "deny, with a result"],
  ["enforcement", "is malformed"],
  ["observer", "deny"],
  ["observer", "ask"],
  ["observer", "allow, rewritten"],
  ["observer", "times out"],
];

export function policyThat(kind: PolicyKind, behaviour: Behaviour): string {
  return `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "${kind}",
  matcher: "Bash",
  timeoutMs: 2000,
  beforeToolCall() { ${BEHAVIOURS[behaviour].body} },
});
`;
}
