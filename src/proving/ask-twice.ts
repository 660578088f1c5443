import type { ProvingQuestion } from "../contract/proving.ts";
import { isSame, type Judgement } from "./judgement.ts";
import { type ProvingPlace, putTried } from "./place.ts";
import { Prover } from "./prover.ts";
import type { TriedHook } from "./tried-hook.ts";

/** What a policy makes of a call, and whether it makes the same of it each time. */
export interface Answered extends Judgement {
  isSteady: boolean;
}

/** A call behind earlier ones of its session: the last question is the one that is asked about. */
export interface AskedCall {
  questions: readonly ProvingQuestion[];
  /** It is asked about again, later and elsewhere. */
  isRepeated: boolean;
}

/**
 * Asks a policy about these calls, in two processes with a half for each, and then again backwards, in both of them. The hook process
 * lives for one call: a policy that remembers another one, or throws dice, answers differently then, and a process of its own has the
 * word.
 */
export async function askTwice(place: ProvingPlace, hook: TriedHook, calls: readonly AskedCall[]): Promise<Answered[]> {
  putTried(place, hook);
  const [one, two] = [new Prover(place, hook), new Prover(place, hook)];
  const half = Math.ceil(calls.length / 2);
  try {
    const first = calls.map(({ questions }, at) => askSession(at < half ? one : two, questions));
    const backwards = [...calls.entries()].reverse().filter(([, { isRepeated }]) => isRepeated);
    const again = backwards.map(async ([at, { questions }]) => {
      return [at, await Promise.all([askSession(one, questions), askSession(two, questions)])] as const;
    });
    const answers = await Promise.all(first);
    const others = new Map(await Promise.all(again));
    const settled: Answered[] = [];
    for (const [at, answer] of answers.entries()) {
      const isSteady = (others.get(at) ?? []).every((other) => isSame(answer, other));
      const questions = calls[at]?.questions ?? [];
      settled.push({ ...(isSteady ? answer : await askAlone(place, hook, questions)), isSteady });
    }
    return settled;
  } finally {
    one.end();
    two.end();
  }
}

/** Enough to see what a policy makes of its first call in a process. */
const ASKED_ALONE = 4;

/**
 * Whether a process of its own, as each call has one, says the same of some of these calls. A policy that does something else at its first call
 * answers steadily in processes that answer many.
 */
export async function isSameAlone(
  place: ProvingPlace,
  hook: TriedHook,
  answered: readonly (readonly [AskedCall, Answered])[],
): Promise<boolean> {
  const steady = answered.filter(([, { isAsked, isSteady }]) => isAsked && isSteady);
  const step = Math.max(1, Math.ceil(steady.length / ASKED_ALONE));
  const some = steady.filter((_, at) => at % step === 0);
  const same = await Promise.all(
    some.map(async ([{ questions }, { isSteady: _, ...answer }]) =>
      isSame(answer, await askAlone(place, hook, questions)),
    ),
  );
  return same.every(Boolean);
}

async function askSession(prover: Prover, questions: readonly ProvingQuestion[]): Promise<Judgement> {
  const answers = await Promise.all(questions.map((question) => prover.ask(question)));
  const last = answers.at(-1);
  if (last === undefined) throw new Error("nothing was asked");
  return last;
}

async function askAlone(
  place: ProvingPlace,
  hook: TriedHook,
  questions: readonly ProvingQuestion[],
): Promise<Judgement> {
  const prover = new Prover(place, hook);
  try {
    return await askSession(prover, questions);
  } finally {
    prover.end();
  }
}
