import { randomInt } from "node:crypto";
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

/** At most so many calls of a verdict are asked about alone: one of each hundred, and one at least. */
const MOST_ALONE = 4;
const CALLS_FOR_ONE = 100;

/**
 * The same, and some of these calls of each verdict in a process of their own, as each call has one. A policy that does something else at its
 * first call answers steadily in processes that answer many: if one answer differs, none of them counts. Chance picks the calls, since
 * whoever wrote the policy may have written the calls, too.
 */
export async function askAsHooksDo(
  place: ProvingPlace,
  hook: TriedHook,
  calls: readonly AskedCall[],
): Promise<Answered[]> {
  const answers = await askTwice(place, hook, calls);
  const asked = [...answers.entries()].filter(([, { isAsked, isSteady }]) => isAsked && isSteady);
  const some = VERDICTS.flatMap((verdict) => pickSome(asked.filter(([, answer]) => answer.verdict === verdict)));
  const same = await Promise.all(
    some.map(async ([at, { isSteady: _, ...answer }]) =>
      isSame(answer, await askAlone(place, hook, calls[at]?.questions ?? [])),
    ),
  );
  if (same.every(Boolean)) return answers;
  return answers.map((answer) => ({ ...answer, isSteady: answer.isSteady && !answer.isAsked }));
}

const VERDICTS = ["allow", "ask", "deny"] as const;

function pickSome<T>(all: readonly T[]): T[] {
  const [...left] = all;
  const wanted = Math.min(all.length, MOST_ALONE, Math.ceil(all.length / CALLS_FOR_ONE));
  return Array.from({ length: wanted }, () => left.splice(randomInt(left.length), 1)).flat();
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
