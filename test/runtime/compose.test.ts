import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Answer, failure, NO_OPINION } from "../../src/runtime/answer-of-policy.ts";
import { nextQuestion, type Role, recordAnswer, startComposition, type Verdict } from "../../src/runtime/compose.ts";

/** A policy as a function of the input it is asked about. */
interface Scripted {
  enforces: boolean;
  /** In place of what `enforces` says. */
  role?: Role;
  answers: Readonly<Record<string, Answer>>;
}

const inputs = ["0", "1", "2", "3"];
const ORIGINAL = "0";

const allow = (fields: Partial<Answer> = {}): Answer => ({ ...NO_OPINION, action: "allow", ...fields });
const deny = (reason: string): Answer => ({ ...NO_OPINION, action: "deny", reason });
const ask = (reason: string): Answer => ({ ...NO_OPINION, action: "ask", reason });

const anAnswer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constant(NO_OPINION),
  fc.constant<Answer>({ ...NO_OPINION, action: "log-only" }),
  fc.constant(allow()),
  fc.constantFrom("c1", "c2").map((context) => allow({ context })),
  fc.constantFrom(...inputs).map((updatedInput) => allow({ updatedInput })),
  fc.constantFrom("why", "what").map(ask),
  { arbitrary: fc.constantFrom("no", "never").map(deny), weight: 1 },
  fc.constant(failure("broke")),
);

const aPolicy: fc.Arbitrary<Scripted> = fc.record({
  enforces: fc.boolean(),
  answers: fc.record(Object.fromEntries(inputs.map((input) => [input, anAnswer]))) as fc.Arbitrary<
    Record<string, Answer>
  >,
});

const policies = fc.array(aPolicy, { maxLength: 5 });

interface Played {
  verdict: Verdict;
  asked: { policy: number; input: string; answer: Answer }[];
}

function play(scripted: readonly Scripted[]): Played {
  const composition = startComposition(
    scripted.map(({ enforces, role }) => role ?? (enforces ? "enforce" : "observe")),
    ORIGINAL,
  );
  const asked: Played["asked"] = [];
  for (let question = nextQuestion(composition); question !== null; question = nextQuestion(composition)) {
    const answer = scripted[question.policy]?.answers[question.input] ?? NO_OPINION;
    asked.push({ policy: question.policy, input: question.input, answer });
    recordAnswer(composition, question, answer);
    if (asked.length > 100) throw new Error("the questions do not end");
  }
  if (composition.verdict === null) throw new Error("there is no verdict");
  return { verdict: composition.verdict, asked };
}

const halts = ({ enforces }: Scripted, { action }: Answer) => action === "deny" || (enforces && action === "failure");
const always = (enforces: boolean, answer: Answer): Scripted => ({
  enforces,
  answers: Object.fromEntries(inputs.map((input) => [input, answer])),
});

describe("composition keeps its laws", () => {
  test("a deny that was said is the verdict, and nobody is asked after it", () => {
    fc.assert(
      fc.property(policies, (scripted) => {
        const { verdict, asked } = play(scripted);
        const first = asked.findIndex(({ policy, answer }) => halts(scripted[policy] as Scripted, answer));
        if (first < 0) return;
        expect(verdict).toMatchObject({
          action: "deny",
          by: asked[first]?.policy,
          reason: asked[first]?.answer.reason,
        });
        expect(asked).toHaveLength(first + 1);
      }),
    );
  });

  test("the input that will be used was denied by nobody, its author aside", () => {
    fc.assert(
      fc.property(policies, (scripted) => {
        const { verdict, asked } = play(scripted);
        if (verdict.action === "deny") return;
        const used = verdict.updatedInput ?? ORIGINAL;
        const authors = asked.filter(({ answer }) => answer.updatedInput === used).map(({ policy }) => policy);
        for (const [place, policy] of scripted.entries()) {
          const answer = policy.answers[used] as Answer;
          if (halts(policy, answer)) expect(authors).toContain(place);
        }
      }),
    );
  });

  test("everybody is asked at least once unless it is denied, and nobody more often than there are rounds", () => {
    fc.assert(
      fc.property(policies, (scripted) => {
        const { verdict, asked } = play(scripted);
        for (const place of scripted.keys()) {
          const times = asked.filter(({ policy }) => policy === place).length;
          if (verdict.action !== "deny") expect(times).toBeGreaterThanOrEqual(1);
          expect(times).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test("an ask is never lost to anything but a deny, keeps the first reason, and drops every rewrite", () => {
    fc.assert(
      fc.property(policies, (scripted) => {
        const { verdict, asked } = play(scripted);
        const first = asked.find(({ policy, answer }) => answer.action === "ask" && scripted[policy]?.enforces);
        if (first === undefined || verdict.action === "deny") return;
        expect(verdict).toMatchObject({ action: "ask", reason: first.answer.reason, updatedInput: null });
      }),
    );
  });

  test("observers that do not deny change nothing", () => {
    fc.assert(
      fc.property(policies, policies, (scripted, others) => {
        const silent = others
          .map((policy) => ({ ...policy, enforces: false }))
          .filter(({ answers }) => Object.values(answers).every(({ action }) => action !== "deny"));
        const { verdict } = play([...scripted, ...silent]);
        expect(verdict).toEqual(play(scripted).verdict);
      }),
    );
  });

  test("policies that have no opinion change nothing, wherever they stand", () => {
    fc.assert(
      fc.property(policies, fc.nat(5), (scripted, place) => {
        const more = [...scripted.slice(0, place), always(true, NO_OPINION), ...scripted.slice(place)];
        const { by: _, ...verdict } = play(more).verdict;
        const { by: __, ...expected } = play(scripted).verdict;
        expect(verdict).toEqual(expected);
      }),
    );
  });
});

const limited = (role: Role) => policies.map((scripted) => scripted.map((policy) => ({ ...policy, role })));

describe("what a role may not do", () => {
  test("shadows change nothing, wherever they stand", () => {
    fc.assert(
      fc.property(policies, limited("shadow"), fc.nat(5), (scripted, shadows, place) => {
        const { by: _, ...verdict } = play([...scripted.slice(0, place), ...shadows, ...scripted.slice(place)]).verdict;
        const { by: __, ...expected } = play(scripted).verdict;
        expect(verdict).toEqual(expected);
      }),
    );
  });

  test("who may only say no adds nothing to a call, and lets none through that was denied", () => {
    fc.assert(
      fc.property(policies, limited("restrict"), (scripted, restricting) => {
        const before = play(scripted).verdict;
        const { verdict } = play([...scripted, ...restricting]);
        if (verdict.action === "allow") expect(verdict).toEqual(before);
        if (verdict.action === "ask") expect(verdict.updatedInput).toBeNull();
      }),
    );
  });

  test("a card more never turns a deny into an allow of the same input", () => {
    fc.assert(
      fc.property(policies, policies, fc.nat(5), (scripted, more, place) => {
        const { verdict } = play([...scripted.slice(0, place), ...more, ...scripted.slice(place)]);
        const used = verdict.updatedInput ?? ORIGINAL;
        const denies = scripted.some((policy) => halts(policy, policy.answers[used] as Answer));
        const isOwn = scripted.some(({ answers }) =>
          Object.values(answers).some(({ updatedInput }) => updatedInput === used),
        );
        if (denies && !isOwn) expect(verdict.action).toBe("deny");
      }),
    );
  });
});

const withoutRewrites = policies.map((scripted) =>
  scripted.map(({ answers, ...policy }) => ({
    ...policy,
    answers: Object.fromEntries(
      Object.entries(answers).map(([input, answer]) => [input, { ...answer, updatedInput: null }]),
    ),
  })),
);
const STRENGTH = { allow: 0, ask: 1, deny: 2 };
const strengthOf = (scripted: readonly Scripted[]) => STRENGTH[play(scripted).verdict.action];
const aRole = fc.constantFrom<Role>("enforce", "restrict", "observe", "shadow");

describe("order and number", () => {
  test("decide nothing about a deny, where nobody rewrites", () => {
    const shuffled = withoutRewrites.chain((scripted) =>
      fc.tuple(fc.constant(scripted), fc.shuffledSubarray(scripted, { minLength: scripted.length })),
    );
    fc.assert(
      fc.property(shuffled, ([scripted, others]) => {
        expect(play(others).verdict.action).toBe(play(scripted).verdict.action);
      }),
    );
  });

  test("decide nothing about a deny of every input, whoever rewrites what", () => {
    fc.assert(
      fc.property(policies, fc.nat(5), fc.boolean(), (scripted, place, enforces) => {
        const stack = [...scripted.slice(0, place), always(enforces, deny("never")), ...scripted.slice(place)];
        expect(play(stack).verdict.action).toBe("deny");
      }),
    );
  });

  test("of equal policies change nothing: each one twice is each one once", () => {
    fc.assert(
      fc.property(withoutRewrites, (scripted) => {
        const { action, reason } = play(scripted.flatMap((policy) => [policy, policy])).verdict;
        expect({ action, reason }).toEqual({
          action: play(scripted).verdict.action,
          reason: play(scripted).verdict.reason,
        });
      }),
    );
  });

  test("never weaken: an observer more makes no verdict milder, wherever it stands", () => {
    fc.assert(
      fc.property(policies, aPolicy, fc.nat(5), (scripted, observer, place) => {
        const more = [...scripted.slice(0, place), { ...observer, enforces: false }, ...scripted.slice(place)];
        expect(strengthOf(more)).toBeGreaterThanOrEqual(strengthOf(scripted));
      }),
    );
  });

  test("never weaken: whoever is added, in whatever role, makes no verdict milder where nobody rewrites", () => {
    fc.assert(
      fc.property(withoutRewrites, withoutRewrites, aRole, fc.nat(5), (scripted, others, role, place) => {
        const added = others.map((policy) => ({ ...policy, role }));
        const more = [...scripted.slice(0, place), ...added, ...scripted.slice(place)];
        expect(strengthOf(more)).toBeGreaterThanOrEqual(strengthOf(scripted));
      }),
    );
  });

  test("never widen: a stack that may only say no gives neither input nor context, and is as strict as if it might say more", () => {
    fc.assert(
      fc.property(limited("restrict"), (restricting) => {
        const { verdict } = play(restricting);
        expect([verdict.updatedInput, verdict.context]).toEqual([null, null]);
        const denied = restricting.some(({ answers }) => {
          const { action } = answers[ORIGINAL] as Answer;
          return action === "deny" || action === "failure";
        });
        expect(verdict.action === "deny").toBe(denied);
      }),
    );
  });
});

describe("composition by example", () => {
  test("context is joined in the order of the policies", () => {
    const { verdict } = play([
      always(true, allow({ context: "a" })),
      always(true, NO_OPINION),
      always(true, allow({ context: "b" })),
    ]);
    expect(verdict).toMatchObject({ action: "allow", context: "a\nb" });
  });

  test("an ask keeps the context of the others", () => {
    const { verdict } = play([always(true, allow({ context: "a" })), always(true, ask("sure?"))]);
    expect(verdict).toMatchObject({ action: "ask", reason: "sure?", context: "a" });
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
