import { expect, test } from "vitest";
import { PLAN_VERSION, type Plan, POLICIES_IN_ONE_PLAN, sdkBannerOf, splitSdk } from "../../../src/contract/plan.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { buildPlan, printPlan } from "../../../src/write/plan/plan.ts";
import { someApproval, someGrant } from "../../support/grants.ts";

const HOOKS = Array.from({ length: POLICIES_IN_ONE_PLAN + 1 }, (_, index) => `guard-${index}`);

function plan(): Plan {
  const approval = someApproval({
    bundles: Object.fromEntries(HOOKS.map((hook) => [hook, hook])),
    hooks: HOOKS.map((name) => ({
      name,
      kind: "enforcement",
      matcher: "Bash",
      phases: ["pre-tool"],
      timeoutMs: 5,
      capabilities: [],
    })),
  });
  const activation = { state: "active", approval } as const;
  const built = buildPlan("/p", [{ card: "@me/guards", locked: null, grant: someGrant({}), activation }]);
  expect(built).toMatchObject({ version: PLAN_VERSION, policies: { length: HOOKS.length } });
  return built;
}

/** Closes its function, and would run in the one of its neighbours. */
const ESCAPE = "}); globalThis.escaped = true; (function(){";
const withEscape = (hook: string) => (hook === "guard-3" ? ESCAPE : `exports.default = "${hook}";`);

test("policies that bring the same SDK have it once, and their own code by itself", () => {
  const sdk = "(function(require){return Object.freeze({word:1})})";
  const code = (hook: string) => `${sdkBannerOf(sdk)}exports.default = "${hook}" + require("drwn:sdk").word;`;
  const { text, shards } = printPlan({ ...plan(), policies: plan().policies.slice(0, 2) }, code, null);
  expect(text).toContain('"shards"');
  expect([...shards.values()].filter((one) => one.includes("word:1"))).toEqual([sdk]);
});

test("what a policy brings is cut at the first end, so that its own code cannot pass for the SDK", () => {
  const own = `exports.default = "/*drwn:sdk*/);";`;
  expect(splitSdk(sdkBannerOf("sdk") + own)).toEqual({ shared: "sdk", own: `"use strict";${own}` });
  expect(splitSdk(own)).toBeNull();
});

test("the plan in force comes out as it is, byte for byte", () => {
  const first = printPlan(plan(), (hook) => `exports.default = "${hook}";`, null);
  const again = printPlan(plan(), (hook) => `exports.default = "${hook}";`, digestOf(first.text));
  expect(again).toEqual(first);
});

test.each([
  ["nothing is in force", () => null],
  ["another plan is in force", () => digestOf("another")],
  ["it was left out of the plan in force", () => digestOf(printPlan(plan(), withEscape, null).text)],
])("code that is no whole body of a function is left out when %s", (_, inForce) => {
  const { shards } = printPlan(plan(), withEscape, inForce());
  expect(shards.size).toBe(1);
  for (const text of shards.values()) expect(text).not.toContain("escaped");
});
