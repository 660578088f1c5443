import { describe, expect, test } from "vitest";
import { nextQuestion, recordAnswer, startComposition } from "../../../src/hook/answer/compose.ts";
import { NO_OPINION } from "../../../src/hook/run/policy-answer.ts";
import { allow, always, ask, deny, inputs, play, type Scripted } from "../played.ts";

describe("composition by example", () => {
  test("context is joined in the order of the policies", () => {
    const { verdict } = play([
      always(true, allow({ context: "a" })),
      always(true, NO_OPINION),
      always(true, allow({ context: "b" })),
    ]);
    expect(verdict).toMatchObject({ action: "allow", context: "a\nb" });
  });

  test.each([
    ["a rewrite", { updatedInput: "1" }, "noted"],
    ["a context", { context: "a" }, "noted"],
    ["nothing more", {}, "applied"],
  ])("the yes of a policy that may only say no, with %s, %j, is %s", (_, said, fate) => {
    const composition = startComposition(["restrict"], "0");
    const question = nextQuestion(composition);
    if (question === null) throw new Error("nobody is asked");
    expect(recordAnswer(composition, question, allow(said))).toBe(fate);
  });

  test("an ask keeps the context of the others", () => {
    const { verdict } = play([always(true, allow({ context: "a" })), always(true, ask("sure?"))]);
    expect(verdict).toMatchObject({ action: "ask", reason: "sure?", context: "a" });
  });

  test("of two that ask the first is the one that a person hears", () => {
    const { verdict } = play([always(true, ask("first?")), always(true, ask("second?"))]);
    expect(verdict).toMatchObject({ action: "ask", reason: "first?", by: 0 });
  });

  test("of several that ask, a person hears the first that can't be undone", () => {
    const lost = (reason: string) => ({ ...ask(reason), irreversible: true });
    const { verdict } = play([always(true, ask("a?")), always(true, lost("b?")), always(true, lost("c?"))]);
    expect(verdict).toMatchObject({ action: "ask", reason: "b?", by: 1 });
  });

  test("the last rewrite wins, and the ones before it are asked about it", () => {
    const first: Scripted = { enforces: true, answers: { "0": allow({ updatedInput: "1" }), "2": NO_OPINION } };
    const second: Scripted = { enforces: true, answers: { "1": allow({ updatedInput: "2" }) } };
    const { verdict, asked } = play([first, second]);
    expect(verdict).toMatchObject({ action: "allow", updatedInput: "2" });
    expect(asked.map(({ policy, input }) => [policy, input])).toEqual([
      [0, "0"],
      [1, "1"],
      [0, "2"],
    ]);
  });

  test("a rewrite that an earlier policy denies is denied", () => {
    const guard: Scripted = { enforces: true, answers: { "0": NO_OPINION, "1": deny("not this") } };
    const { verdict } = play([guard, always(true, allow({ updatedInput: "1" }))]);
    expect(verdict).toMatchObject({ action: "deny", reason: "not this", by: 0 });
  });

  test("policies that rewrite each other for ever are denied", () => {
    const flip = (to: (input: string) => string): Scripted => ({
      enforces: true,
      answers: Object.fromEntries(inputs.map((input) => [input, allow({ updatedInput: to(input) })])),
    });
    const next = (input: string) => inputs[(Number(input) + 1) % inputs.length] ?? "";
    const { verdict } = play([flip(next), flip(next)]);
    expect(verdict).toMatchObject({ action: "deny", by: -1, reason: expect.stringContaining("rewriting") });
  });

  test("a policy that saw only a rewrite is asked about the original when an ask drops it", () => {
    const guard: Scripted = { enforces: true, answers: { "1": ask("sure?"), "0": deny("not the original") } };
    const { verdict } = play([always(true, allow({ updatedInput: "1" })), guard]);
    expect(verdict).toMatchObject({ action: "deny", reason: "not the original" });
  });

  test("nobody to ask is an allow", () => {
    expect(play([]).verdict).toMatchObject({ action: "allow", updatedInput: null, context: null });
  });
});
