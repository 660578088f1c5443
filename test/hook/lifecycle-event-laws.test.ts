import fc from "fast-check";
import { expect, test } from "vitest";
import { adaptLifecycleAnswer } from "../../src/hook/answer/adapt-answer.ts";
import { nextQuestion, recordAnswer, startComposition } from "../../src/hook/answer/compose.ts";
import { failure, NO_OPINION, type PolicyAnswer } from "../../src/hook/run/policy-answer.ts";
import type { PreparedPolicy } from "../../src/hook/verify/read-policy.ts";
import type { LifecyclePowers } from "../../src/hook-base/adapter/adapter.ts";
import { EVENTS } from "../../src/policy/lifecycle-events.ts";
import { somePrepared } from "../support/policies.ts";

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

const LEVELS = ["none", "observed", "proceed", "ask", "hold"] as const;

/** What one hook says of an event, or several together. */
interface Verdict {
  level: (typeof LEVELS)[number];
  /** The reason of a hold, the question of an ask. */
  said: string | null;
  context: readonly string[];
}

const verdictOf = (level: Verdict["level"], said: string | null = null, context: readonly string[] = []): Verdict => {
  return { level, said, context };
};

/** What one answer comes to in the algebra. */
function toVerdict({ action, reason, context }: PolicyAnswer, kind: PreparedPolicy["kind"]): Verdict {
  switch (action) {
    case "deny":
      return verdictOf("hold", reason);
    case "failure":
      return kind === "observer" ? verdictOf("none") : verdictOf("hold", reason);
    case "ask":
      return verdictOf("ask", reason);
    case "log-only":
      return verdictOf("observed");
    case "allow":
      return verdictOf("proceed", null, context === null ? [] : [context]);
    default:
      return verdictOf("none");
  }
}

/** No more than the event can take. */
function clamp({ level, said, context }: Verdict, { hold, injects }: (typeof EVENTS)[keyof typeof EVENTS]): Verdict {
  const isIdle = hold === null && (level === "hold" || level === "ask");
  return { level: isIdle ? "observed" : level, said: isIdle ? null : said, context: injects ? context : [] };
}

/** The stronger level wins, the first of two that are equal speaks, and text adds up. */
function combine(first: Verdict, second: Verdict): Verdict {
  const speaker = LEVELS.indexOf(second.level) > LEVELS.indexOf(first.level) ? second : first;
  return { ...speaker, context: [...first.context, ...second.context] };
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
      const folded = hooks
        .map(({ answer, kind }) => clamp(toVerdict(answer, kind), EVENTS[name]))
        .reduce(combine, verdictOf("none"));
      const level = { deny: "hold", ask: "ask", allow: "proceed" }[composition.verdict?.action ?? "allow"];
      expect(level).toBe(["hold", "ask"].includes(folded.level) ? folded.level : "proceed");
      if (folded.level === "hold") expect(composition.verdict?.reason).toBe(folded.said);
      else {
        if (folded.level === "ask") expect(composition.verdict?.reason).toBe(folded.said);
        expect(composition.verdict?.context ?? "").toBe(folded.context.join("\n"));
      }
    }),
    { numRuns: 500 },
  );
});
