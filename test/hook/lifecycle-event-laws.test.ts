import fc from "fast-check";
import { expect, test } from "vitest";
import { adaptLifecycleAnswer } from "../../src/hook/answer/adapt-answer.ts";
import { nextQuestion, recordAnswer, startComposition } from "../../src/hook/answer/compose.ts";
import { failure, NO_OPINION, type PolicyAnswer } from "../../src/hook/run/policy-answer.ts";
import type { PreparedPolicy } from "../../src/hook/verify/prepare.ts";
import type { LifecyclePowers } from "../../src/hook-base/adapter/adapter.ts";
import { EVENTS } from "../../src/policy/lifecycle-events.ts";
import { somePrepared } from "../support/policies.ts";
import { clampVerdict, foldVerdicts, type Verdict, verdictOf } from "../support/verdict.ts";

const event = fc.constantFrom(...(Object.keys(EVENTS) as (keyof typeof EVENTS)[]));
const said = fc.constantFrom<PolicyAnswer>(
  NO_OPINION,
  { ...NO_OPINION, action: "log-only" },
  { ...NO_OPINION, action: "allow" },
  { ...NO_OPINION, action: "allow", context: "a" },
  { ...NO_OPINION, action: "allow", context: "b" },
  { ...NO_OPINION, action: "ask", reason: "sure?" },
  { ...NO_OPINION, action: "deny", reason: "no" },
  { ...NO_OPINION, action: "deny", reason: "never" },
  failure("broke"),
);
const hook = fc.record({ answer: said, kind: fc.constantFrom("enforcement" as const, "observer" as const) });

/** What one answer comes to in the algebra. */
function toVerdict({ action, reason, context }: PolicyAnswer, kind: PreparedPolicy["kind"]): Verdict {
  switch (action) {
    case "deny":
      return verdictOf({ level: "hold", reason });
    case "failure":
      return kind === "observer" ? verdictOf({ errors: [reason] }) : verdictOf({ level: "hold", reason });
    case "ask":
      return verdictOf({ level: "ask", question: reason });
    case "log-only":
      return verdictOf({ level: "observed" });
    case "allow":
      return verdictOf({
        level: "proceed",
        context: context === null ? [] : [{ where: "system-reminder", text: context, from: "" }],
      });
    default:
      return verdictOf({});
  }
}

test("the hook process says of a lifecycle event what the verdict algebra says", () => {
  fc.assert(
    fc.property(event, fc.array(hook, { maxLength: 6 }), (name, hooks) => {
      const { hold, injects, transforms } = EVENTS[name];
      const at: LifecyclePowers = {
        name,
        holds: hold !== null,
        injects,
        shows: false,
        transforms,
        asks: hold !== null,
      };
      const composition = startComposition(
        hooks.map(() => "enforce"),
        "{}",
      );
      for (let question = nextQuestion(composition); question !== null; question = nextQuestion(composition)) {
        const { answer, kind } = hooks[question.policy] ?? { answer: NO_OPINION, kind: "observer" as const };
        recordAnswer(composition, question, adaptLifecycleAnswer(at, somePrepared({ kind }), answer));
      }
      const folded = foldVerdicts(hooks.map(({ answer, kind }) => clampVerdict(toVerdict(answer, kind), name)));
      const level = { deny: "hold", ask: "ask", allow: "proceed" }[composition.verdict?.action ?? "allow"];
      expect(level).toBe(["hold", "ask"].includes(folded.level) ? folded.level : "proceed");
      if (folded.level === "hold") expect(composition.verdict?.reason).toBe(folded.reason);
      else {
        if (folded.level === "ask") expect(composition.verdict?.reason).toBe(folded.question);
        expect(composition.verdict?.context ?? "").toBe(folded.context.map(({ text }) => text).join("\n"));
      }
    }),
    { numRuns: 500 },
  );
});
