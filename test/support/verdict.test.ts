import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS, type LifecycleEvent, powersOf } from "../../src/policy/lifecycle-events.ts";
import {
  applyPatch,
  clampVerdict,
  combineVerdicts,
  foldVerdicts,
  LEVELS,
  NO_VERDICT,
  type Patch,
  type Verdict,
  verdictOf,
} from "./verdict.ts";

const text = fc.constantFrom("a", "b", "c");
const aPatch: fc.Arbitrary<Patch> = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), value: fc.oneof(text, fc.dictionary(text, text)) }),
  fc.record({ kind: fc.constant("merge" as const), fields: fc.dictionary(text, text) }),
);
const contexts = fc.array(
  fc.record({ where: fc.constantFrom("system-reminder" as const, "tool-result" as const), text, from: text }),
  { maxLength: 2 },
);
const aVerdict: fc.Arbitrary<Verdict> = fc
  .record({
    level: fc.constantFrom(...LEVELS),
    code: fc.constantFrom("deny" as const, "reject" as const, null),
    reason: fc.option(text),
    question: fc.option(text),
    defaultAnswer: fc.option(text),
    context: contexts,
    patch: fc.option(aPatch),
    synthetic: fc.option(text, { nil: undefined }),
    notes: fc.array(text, { maxLength: 2 }),
    errors: fc.array(text, { maxLength: 2 }),
  })
  .map(verdictOf);
const anEvent: fc.Arbitrary<LifecycleEvent> = fc.constantFrom(
  ...(Object.keys(EVENTS) as (keyof typeof EVENTS)[]),
  "other.CwdChanged" as const,
);
const rank = ({ level }: Verdict): number => LEVELS.indexOf(level);
/** The deciding parts, without the texts that add up. */
const decision = ({ level, code, reason, question, defaultAnswer, synthetic, patch }: Verdict): unknown => ({
  level,
  code,
  reason,
  question,
  defaultAnswer,
  synthetic,
  patch,
});

describe("the verdict algebra", () => {
  test("nothing said changes nothing, before or after", () => {
    fc.assert(
      fc.property(aVerdict, (verdict) => {
        expect(combineVerdicts(NO_VERDICT, verdict)).toEqual(verdict);
        expect(combineVerdicts(verdict, NO_VERDICT)).toEqual(verdict);
      }),
    );
  });

  test("is associative: it does not matter which neighbours are put together first", () => {
    fc.assert(
      fc.property(aVerdict, aVerdict, aVerdict, (a, b, c) => {
        expect(combineVerdicts(combineVerdicts(a, b), c)).toEqual(combineVerdicts(a, combineVerdicts(b, c)));
      }),
    );
  });

  test("the level of several is the highest, and saying it twice is saying it once", () => {
    fc.assert(
      fc.property(aVerdict, aVerdict, (a, b) => {
        expect(rank(combineVerdicts(a, b))).toBe(Math.max(rank(a), rank(b)));
        expect(combineVerdicts(a, a).level).toBe(a.level);
      }),
    );
  });

  test("a hold absorbs: whatever follows it or stood before it, the first hold speaks", () => {
    fc.assert(
      fc.property(aVerdict, fc.array(aVerdict), fc.array(aVerdict), (one, before, after) => {
        const hold = verdictOf({ ...one, level: "hold", code: "cancel", reason: "mine" });
        const weaker = before.filter(({ level }) => level !== "hold");
        expect(decision(foldVerdicts([...weaker, hold, ...after]))).toEqual(decision(hold));
      }),
    );
  });

  test("order matters only among equal levels", () => {
    fc.assert(
      fc.property(aVerdict, aVerdict, (a, b) => {
        fc.pre(a.level !== b.level);
        expect(decision(combineVerdicts(a, b))).toEqual(decision(combineVerdicts(b, a)));
      }),
    );
  });

  test("hooks that are skipped, wherever they stand, do not touch the others", () => {
    fc.assert(
      fc.property(fc.array(aVerdict), fc.nat(), (verdicts, at) => {
        const place = verdicts.length === 0 ? 0 : at % verdicts.length;
        expect(foldVerdicts(verdicts.toSpliced(place, 0, NO_VERDICT))).toEqual(foldVerdicts(verdicts));
      }),
    );
  });

  test("adding an observer never changes a level that says something", () => {
    fc.assert(
      fc.property(fc.array(aVerdict, { minLength: 1 }), aVerdict, fc.nat(), (verdicts, one, at) => {
        const observer = verdictOf({ ...one, level: "observed", patch: null });
        const before = foldVerdicts(verdicts);
        fc.pre(before.level !== "none");
        expect(foldVerdicts(verdicts.toSpliced(at % (verdicts.length + 1), 0, observer)).level).toBe(before.level);
      }),
    );
  });

  test("no text is lost: what a hold puts aside is kept for the record, in order", () => {
    fc.assert(
      fc.property(fc.array(aVerdict), (verdicts) => {
        const all = (verdict: Verdict) => [...verdict.dropped.context, ...verdict.context];
        expect(all(foldVerdicts(verdicts))).toEqual(verdicts.flatMap(all));
      }),
    );
  });

  test("the later patch lies over the earlier one, as if they were applied one after the other", () => {
    fc.assert(
      fc.property(aPatch, aPatch, fc.oneof(text, fc.dictionary(text, text)), (first, second, value) => {
        const { patch } = combineVerdicts(verdictOf({ patch: first }), verdictOf({ patch: second }));
        expect(patch === null ? value : applyPatch(patch, value)).toEqual(applyPatch(second, applyPatch(first, value)));
      }),
    );
  });

  test("an event gets no more than it can take, and what it cannot take is noted", () => {
    fc.assert(
      fc.property(aVerdict, anEvent, (verdict, event) => {
        const { hold, injects, transforms } = powersOf(event);
        const clamped = clampVerdict(verdict, event);
        expect(clampVerdict(clamped, event)).toEqual(clamped);
        if (hold === null) expect(["none", "observed", "proceed"]).toContain(clamped.level);
        else expect(clamped.level).toBe(verdict.level);
        if (!injects) expect(clamped.context).toEqual([]);
        if (!transforms) expect(clamped.patch).toBeNull();
        if (clamped !== verdict)
          expect(clamped.notes.at(-1)).toBe(`${clamped.notes.at(-1)?.split(":")[0]}: ineffective on ${event}`);
      }),
    );
  });

  test("a hold where nothing can be held gives back the text that it would have put aside", () => {
    const hello = { where: "system-reminder", text: "hello", from: "a" } as const;
    const both = foldVerdicts([verdictOf({ level: "proceed", context: [hello] }), verdictOf({ level: "hold" })]);
    expect(both).toMatchObject({ context: [], dropped: { context: [hello] } });
    expect(clampVerdict(both, "session.start")).toMatchObject({
      level: "observed",
      context: [hello],
      notes: ["hold: ineffective on session.start"],
    });
  });
});
