import { expect, test } from "vitest";
import type { Approval, HookFacts } from "../../../src/contract/ledger.ts";
import type { CardActivation } from "../../../src/write/plan/activations.ts";
import { buildPlan } from "../../../src/write/plan/plan.ts";
import { someApproval, someGrant } from "../../support/grants.ts";

const FACTS: HookFacts = {
  kind: "enforcement",
  matcher: "Ba*",
  phases: ["pre-tool"],
  timeoutMs: 7,
  capabilities: ["net"],
};

const approval = (cardVersion: string, hooks: string[]): Approval =>
  someApproval({
    cardVersion,
    bundles: Object.fromEntries(hooks.map((name) => [name, `bundle of ${name}`])),
    hooks: hooks.map((name) => ({ name, ...FACTS })),
  });

const card = (name: string, activation: CardActivation["activation"]): CardActivation => ({
  card: name,
  locked: null,
  grant: someGrant({ card: name }),
  activation,
});

test("a plan holds what is active and what is held while another version waits, in their order", () => {
  const plan = buildPlan("/p", [
    card("@me/z", { state: "active", approval: approval("1.0.0", ["b", "a"]) }),
    card("@me/off", { state: "off", why: "no-grant" }),
    card("@me/joins", { state: "joins" }),
    card("@me/new", { state: "waits", outcome: "waits", approval: undefined, why: { because: "unsigned" } }),
    card("@me/held", {
      state: "waits",
      outcome: "waits",
      approval: approval("0.9.0", ["c"]),
      why: { because: "unsigned" },
    }),
  ]);
  expect(plan).toMatchObject({ version: 2, project: "/p" });
  expect(plan.policies.map(({ card: name, cardVersion, hook }) => `${name}@${cardVersion}#${hook}`)).toEqual([
    "@me/z@1.0.0#b",
    "@me/z@1.0.0#a",
    "@me/held@0.9.0#c",
  ]);
});

test("a planned policy carries what was consented to, and its matcher as an anchored regular expression", () => {
  const [policy] = buildPlan("/p", [
    card("@me/a", { state: "active", approval: approval("1.0.0", ["guard"]) }),
  ]).policies;
  const { kind, matcher, phases, timeoutMs, capabilities } = FACTS;
  expect(policy).toMatchObject({ kind, matcher, phases, timeoutMs, capabilities, bundle: "bundle of guard" });
  const match = new RegExp(policy?.match ?? "", "u");
  expect(["Bash", "Ba", "xBash", "bash"].map((tool) => match.test(tool))).toEqual([true, true, false, false]);
});

test("without a matcher there is no expression: every tool", () => {
  const held = approval("1.0.0", ["guard"]);
  const every = { ...held, hooks: [{ ...FACTS, name: "guard", matcher: null }] };
  const [policy] = buildPlan("/p", [card("@me/a", { state: "active", approval: every })]).policies;
  expect([policy?.match, policy?.matcher]).toEqual([null, null]);
});

test("a hook that was approved and has no compiled policy is left out of the plan, not planned without code", () => {
  const held = { ...approval("1.0.0", ["guard", "lost"]), bundles: { guard: "bundle of guard" } };
  const plan = buildPlan("/p", [card("@me/a", { state: "active", approval: held })]);
  expect(plan.policies.map(({ hook }) => hook)).toEqual(["guard"]);
});

test("a planned policy carries the terms of its consent, and who signed it", () => {
  const terms = { mode: "shadow", askFallback: "deny" } as const;
  const publisher = `ed25519:${"A".repeat(43)}`;
  const signed = { ...approval("1.0.0", ["guard"]), publisher };
  const active = card("@me/a", { state: "active", approval: signed });
  expect(buildPlan("/p", [{ ...active, grant: someGrant(terms) }]).policies).toMatchObject([{ ...terms, publisher }]);
});

test.each([
  ["enforce", false, "enforce"],
  ["enforce", true, "restrict-only"],
  ["restrict-only", false, "restrict-only"],
  ["restrict-only", true, "restrict-only"],
  ["shadow", false, "shadow"],
  ["shadow", true, "shadow"],
] as const)("a consent to %s, with a card that can only say no: %s, comes to %s", (mode, restrictOnly, planned) => {
  const active = card("@me/a", { state: "active", approval: { ...approval("1.0.0", ["guard"]), restrictOnly } });
  expect(buildPlan("/p", [{ ...active, grant: someGrant({ mode }) }]).policies[0]?.mode).toBe(planned);
});
