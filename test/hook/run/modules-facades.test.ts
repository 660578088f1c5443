import { expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { verdictOf } from "../../support/hook-calls.ts";

const denies = `beforeToolCall: () => ({ action: "deny", reason: "no" })`;

/** The plan holds what was said when the index was made, and what a person has seen; the policy now says something else. */
test.each<[string, LiteralPolicy, string]>([
  ["another matcher", { match: "Bash", policy: `{ matcher: "Read", ${denies} }` }, "deny"],
  ["no callback", { match: "Bash", policy: "{}" }, "deny"],
  ["a callback that is no function", { match: "Bash", policy: "{ beforeToolCall: 1 }" }, "deny"],
  ["another callback", { match: "Bash", policy: "{ afterToolCall() {} }" }, "deny"],
  ["that it only watches", { match: "Bash", policy: `{ policyKind: "observer", ${denies} }` }, "deny"],
  [
    "that its failures deny",
    { kind: "observer", policy: `{ policyKind: "enforcement", beforeToolCall() { throw 1; } }` },
    "silence",
  ],
  ["more time", { timeoutMs: 100, policy: "{ timeoutMs: 9e9, beforeToolCall: () => new Promise(() => {}) }" }, "deny"],
  ["nothing", { policy: "undefined" }, "deny"],
  [
    "a callback that is another one each time",
    { policy: `{ get beforeToolCall() { return this.n++ ? undefined : () => { throw 1; }; }, n: 0 }` },
    "deny",
  ],
  ["a callback that cannot be read", { policy: `{ get beforeToolCall() { throw new Error("x"); } }` }, "deny"],
])("a policy that says something else than its index is held to its index: %s", (_, policy, verdict) => {
  expect(verdictOf(armHome([policy]).call())).toBe(verdict);
});
