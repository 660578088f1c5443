import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Role } from "../../../src/hook/answer/compose.ts";
import { NO_OPINION, type PolicyAnswer } from "../../../src/hook/run/policy-answer.ts";
import { always, aPolicy, deny, halts, ORIGINAL, play, policies, type Scripted } from "../played.ts";

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
          const answer = policy.answers[used] as PolicyAnswer;
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
        const denies = scripted.some((policy) => halts(policy, policy.answers[used] as PolicyAnswer));
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
          const { action } = answers[ORIGINAL] as PolicyAnswer;
          return action === "deny" || action === "failure";
        });
        expect(verdict.action === "deny").toBe(denied);
      }),
    );
  });
});
