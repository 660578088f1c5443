import { expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter.ts";
import { adaptAnswer } from "../../../src/hook/answer/adapt-answer.ts";
import { NO_OPINION, type PolicyAnswer } from "../../../src/hook/run/policy-answer.ts";
import type { PreparedPolicy } from "../../../src/hook/verify/read-policy.ts";
import type { Adapter } from "../../../src/hook-base/adapter/adapter.ts";
import { somePrepared } from "../../support/policies.ts";

const mute: Adapter = {
  ...claudeCode,
  title: "Mute",
  can: { ...claudeCode.can, ask: false, rewrite: false, context: false },
};
const ask: PolicyAnswer = { ...NO_OPINION, action: "ask", reason: "sure?" };
const irreversible: PolicyAnswer = { ...ask, irreversible: true };
const rewrite: PolicyAnswer = { ...NO_OPINION, action: "allow", updatedInput: "{}" };
const context: PolicyAnswer = { ...NO_OPINION, action: "allow", context: "note" };

test.each<[string, PolicyAnswer, Partial<PreparedPolicy>, Partial<PolicyAnswer>]>([
  ["an ask falls through", ask, {}, { action: "allow", reason: "" }],
  ["an ask with the fallback deny blocks", ask, { askFallback: "deny" }, { action: "deny" }],
  ["an ask about what can't be undone blocks", irreversible, {}, { action: "deny" }],
  ["it falls through where the consent says so", irreversible, { askFallback: "allow" }, { action: "allow" }],
  ["a rewrite blocks, since the input that it replaces was not accepted", rewrite, {}, { action: "deny" }],
  ["context is lost", context, {}, { action: "allow", context: null }],
  ["an observer's ask stays what it is: it is only noted", ask, { kind: "observer", askFallback: "deny" }, ask],
  ["an observer's rewrite stays what it is: it is only noted", rewrite, { kind: "observer" }, rewrite],
  ["a rewrite of who may only say no is only noted, as everywhere", rewrite, { mode: "restrict-only" }, rewrite],
  ["a shadow's ask stays what it is: it is only noted", ask, { mode: "shadow", askFallback: "deny" }, ask],
  ["no opinion is none", NO_OPINION, {}, NO_OPINION],
])("where the agent can carry neither question nor rewrite nor context, %s", (_, answer, parts, expected) => {
  expect(adaptAnswer(mute, somePrepared(parts), { answer, isWhole: true })).toMatchObject(expected);
});

test.each(["allow", "deny"] as const)(
  "an ask about a call that nobody can be asked about is a deny: consent %s",
  (askFallback) => {
    const agent = { ...mute, deniesAsks: true };
    expect(adaptAnswer(agent, somePrepared({ askFallback }), { answer: ask, isWhole: true })).toMatchObject({
      action: "deny",
      reason: "sure? (a person would have to decide, and Mute cannot ask one here)",
    });
  },
);

test("a refusal says what the agent cannot do", () => {
  expect(adaptAnswer(mute, somePrepared({ askFallback: "deny" }), { answer: ask, isWhole: true }).reason).toBe(
    "sure? (a person would have to decide, and Mute cannot ask one)",
  );
});

test.each([ask, rewrite, context])("an agent that can carry everything gets the answer as it is", (answer) => {
  expect(adaptAnswer(claudeCode, somePrepared({ askFallback: "deny" }), { answer, isWhole: true })).toBe(answer);
});

test("a call that is shown in parts is blocked by a rewrite, also where the agent can carry one", () => {
  expect(adaptAnswer(claudeCode, somePrepared(), { answer: rewrite, isWhole: false }).action).toBe("deny");
});
