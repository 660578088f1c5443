import { describe, expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { adaptAnswer } from "../../src/hook/answer/adapt-answer.ts";
import { nextQuestion, recordAnswer, startComposition, type Verdict } from "../../src/hook/answer/compose.ts";
import { presentVerdict } from "../../src/hook/answer/present.ts";
import type { PreparedPolicy } from "../../src/hook/verify/read-policy.ts";
import type { Adapter } from "../../src/hook-base/adapter/adapter.ts";
import {
  BEHAVIOURS,
  type ConformanceCase,
  conformanceCases,
  eventOf,
  expectConformance,
  expectedOutcome,
  nameOf,
  outcomeOf,
} from "../support/conformance.ts";
import { somePrepared } from "../support/policies.ts";
import { sweep } from "../support/sweep.ts";

const named = (cases: readonly ConformanceCase[]): [string, ConformanceCase][] =>
  cases.map((one) => [nameOf(one), one]);
const before = conformanceCases(allAdapters()).filter(({ phase }) => phase === "pre-tool");

/** The engine, without the process around it. */
function decide({ adapter, behaviour, kind }: ConformanceCase): { verdict: Verdict | null; policy: PreparedPolicy } {
  const policy = somePrepared({ kind });
  const composition = startComposition([kind === "observer" ? "observe" : "enforce"], '{"command":"ls"}');
  for (let question = nextQuestion(composition); question !== null; question = nextQuestion(composition)) {
    // A rewrite is asked about again, and then accepted.
    const said = question.version === 0 ? BEHAVIOURS[behaviour].answer : BEHAVIOURS.none.answer;
    recordAnswer(composition, question, adaptAnswer(adapter, policy, { answer: said, isWhole: true }));
  }
  return { verdict: composition.verdict, policy };
}

/** Those that have a place for what only a person reads. */
const SHOWS: readonly string[] = ["claude-code", "codex", "cursor", "gemini-cli"];
const IN_PLAIN_TEXT: readonly string[] = ["arawn"];

describe("decided in process", () => {
  test.each(sweep(named(before), 80))("%s", (_, one) => {
    const { verdict, policy } = decide(one);
    if (verdict === null) throw new Error("nothing was decided");
    const saying = presentVerdict(verdict, [policy], { can: one.adapter.can, key: "a project" });
    const outcome = outcomeOf(saying);
    expect(outcome).toBe(expectedOutcome(one));
    const { text, effective } = one.adapter.encode(saying);
    expect(effective).toBe(outcome === "blocked" ? "deny" : outcome === "a person is asked" ? "ask" : "allow");
    // Silence is what leaves the agent's own rules in force.
    if (outcome === "runs") expect(text).toBe("");
    else expect(text).not.toBe("");
    if (saying.reason !== "") expect(text).toContain(saying.reason.slice(0, 12));
    if (saying.context !== null) expect(text).toContain(saying.context);
    if (saying.updatedInput !== null) expect(text).toContain("pwd");
    const isTold = outcome === "blocked" && SHOWS.includes(one.adapter.runtime);
    expect(text.includes(`[drwn] ${policy.label} denied this call. More: drwn why`)).toBe(isTold);
    expect(text.includes("Let it through: drwn allow")).toBe(isTold && !verdict.isFailure);
  });

  test.each(allAdapters().map((adapter) => [adapter.title, adapter] as const))(
    "%s stops a call by every reason that a policy can give",
    (_, adapter) => {
      for (const reason of ["", " ", '"', "\n", "\u2028", "\ud800", "💥", "x".repeat(100_000)]) {
        const { text, effective } = adapter.encode({ action: "deny", reason, context: null, updatedInput: null });
        expect(effective).toBe("deny");
        // Where a reason is not put into JSON, the answer is that reason.
        if (IN_PLAIN_TEXT.includes(adapter.runtime)) expect(text.trim()).not.toBe("");
        else expect(() => JSON.parse(text)).not.toThrow();
      }
    },
  );
});

const CHOSEN = new Set<string>(["deny", "ask", "allow, rewritten", "throws"]);
const reachable = ({ runtime }: Adapter): boolean => eventOf(runtime, "pre-tool", "/p") !== undefined;

describe("through the hook process", () => {
  const chosen = conformanceCases(allAdapters().filter(reachable)).filter(
    ({ behaviour, kind, phase }) =>
      (phase === "pre-tool" && kind === "enforcement" && CHOSEN.has(behaviour)) ||
      (phase === "pre-tool" && kind === "observer" && behaviour === "throws") ||
      (phase === "post-tool" && kind === "enforcement" && behaviour === "throws"),
  );

  test.each(named(chosen))("%s", (_, one) => {
    expectConformance(one);
  });
});
