import { randomInt } from "node:crypto";
import type { ProvingQuestion } from "../contract/proving.ts";
import { isSame, type Judgement } from "./judgement.ts";
import { type ProvingPlace, putTried } from "./place.ts";
import { Prover } from "./prover.ts";
import type { TriedHook } from "./tried-hook.ts";

/** What a policy says about a call, and whether it says the same each time. */
export interface Answered extends Judgement {
  isSteady: boolean;
}

/** A call after earlier ones of its session: only the answer to the last question counts. */
export interface AskedCall {
  questions: readonly ProvingQuestion[];
  /** Ask about it again, later and in another process. */
  isRepeated: boolean;
  /** The verdict that somebody expects. */
  expected?: string;
}

/**
 * Asks a policy about these calls, each half in one of two processes, and then again backwards, in both of them. The
 * hook process lives for one call: a policy that remembers other calls, or throws dice, then answers differently. For
 * such calls, the answer of a separate process counts.
 */
export async function askTwice(place: ProvingPlace, hook: TriedHook, calls: readonly AskedCall[]): Promise<Answered[]> {
  return (await askBoth(place, hook, { calls, firsts: [] })).answers;
}

interface Asked {
  calls: readonly AskedCall[];
  /** The places of calls that each process is asked about first, as the hook process is asked about its only call. */
  firsts: readonly number[];
}

interface BothAnswered {
  answers: Answered[];
  /** Pairs of place and answer. */
  firstAnswers: (readonly [number, Judgement])[];
}

async function askBoth(place: ProvingPlace, hook: TriedHook, { calls, firsts }: Asked): Promise<BothAnswered> {
  putTried(place, hook);
  const [one, two] = [new Prover(place, hook), new Prover(place, hook)];
  const half = Math.ceil(calls.length / 2);
  try {
    const begun = firsts.map(async (at, nth) => {
      return [at, await askSession(nth === 0 ? one : two, calls[at]?.questions ?? [])] as const;
    });
    const first = calls.map(({ questions }, at) => askSession(at < half ? one : two, questions));
    const backwards = [...calls.entries()].reverse().filter(([, { isRepeated }]) => isRepeated);
    const again = backwards.map(async ([at, { questions }]) => {
      return [at, await Promise.all([askSession(one, questions), askSession(two, questions)])] as const;
    });
    const [firstAnswers, answers] = [await Promise.all(begun), await Promise.all(first)];
    const others = new Map(await Promise.all(again));
    const settled: Answered[] = [];
    for (const [at, answer] of answers.entries()) {
      const isSteady = (others.get(at) ?? []).every((other) => isSame(answer, other));
      const questions = calls[at]?.questions ?? [];
      settled.push({ ...(isSteady ? answer : await askAlone(place, hook, questions)), isSteady });
    }
    return { answers: settled, firstAnswers };
  } finally {
    one.end();
    two.end();
  }
}

/** The most calls that are asked about alone, among those that go through and among those that don't. */
const MOST_ALONE = 4;
/** Among those that go through, one in a hundred is asked about alone, but at least one. */
const CALLS_FOR_ONE = 100;

/**
 * The same, but also asks about some of these calls as the first of a process, as each call is in the hook process. A
 * policy that does something else at its first call, or denies a call because it remembers another, answers steadily in
 * processes that answer many: if one answer differs, none of them counts as steady. Chance picks the calls, since the
 * author of the policy may also have written the calls.
 */
export async function askAsHooksDo(
  place: ProvingPlace,
  hook: TriedHook,
  calls: readonly AskedCall[],
): Promise<Answered[]> {
  const firsts = pickFirsts(calls);
  const { answers, firstAnswers } = await askBoth(place, hook, { calls, firsts });
  const asked = [...answers.keys()].filter((at) => answers[at]?.isAsked === true && answers[at].isSteady);
  const isRefused = (at: number): boolean => answers[at]?.verdict !== "allow";
  const allowed = asked.filter((at) => !isRefused(at));
  const some = [
    ...pickOthers(allowed, firsts, Math.min(MOST_ALONE, Math.ceil(allowed.length / CALLS_FOR_ONE))),
    ...pickOthers(asked.filter(isRefused), firsts, MOST_ALONE),
  ];
  const alone = some.map(async (at) => [at, await askAlone(place, hook, calls[at]?.questions ?? [])] as const);
  const isOther = [...firstAnswers, ...(await Promise.all(alone))].some(([at, answer]) => {
    const former = answers[at];
    if (former?.isSteady !== true) return false;
    const { isSteady: _, ...judgement } = former;
    return !isSame(judgement, answer);
  });
  if (!isOther) return answers;
  return answers.map((answer) => ({ ...answer, isSteady: answer.isSteady && !answer.isAsked }));
}

/** One call for each of two processes, with different expectations if possible. */
function pickFirsts(calls: readonly AskedCall[]): number[] {
  const places = [...calls.keys()];
  const [first] = pickOne(places);
  if (first === undefined) return [];
  const others = places.filter((at) => calls[at]?.expected !== calls[first]?.expected);
  return [first, ...pickOne(others.length > 0 ? others : places.filter((at) => at !== first))];
}

/** More calls, up to `most` with those that are picked already: one from each part of the row. */
function pickOthers(all: readonly number[], picked: readonly number[], most: number): number[] {
  const left = all.filter((at) => !picked.includes(at));
  const wanted = Math.min(left.length, most - (all.length - left.length));
  const edge = (part: number): number => Math.floor((part * left.length) / wanted);
  return Array.from({ length: Math.max(0, wanted) }, (_, part) =>
    pickOne(left.slice(edge(part), edge(part + 1))),
  ).flat();
}

function pickOne<T>(all: readonly T[]): T[] {
  return all.length === 0 ? [] : all.slice(randomInt(all.length)).slice(0, 1);
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
