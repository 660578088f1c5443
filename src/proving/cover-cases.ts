import type { SourceCoverage } from "../card/compiler/covered-source.ts";
import type { HookCase } from "../card/hooks/cases.ts";
import { alternativesOf, compileMatcher } from "../card/matcher.ts";
import type { CountedFunction, ProvingQuestion } from "../contract/proving.ts";
import type { ProvingPlace } from "./place.ts";
import { Prover } from "./prover.ts";
import { toldCallsOf } from "./told-calls.ts";
import type { TriedHook } from "./tried-hook.ts";

export interface HookCoverage extends SourceCoverage {
  /** What the matcher names but no case calls. */
  idleMatchers: string[];
  /** Calls that ended their process: what they ran isn't counted. */
  lostCalls: number;
}

/** How many calls to ask about before reading what has run. */
const BATCH = 64;

/** The parts of a hook that its cases reach: lines and branches of its own files, and alternatives of its matcher. */
export async function coverCases(
  place: ProvingPlace,
  hook: TriedHook,
  cases: readonly HookCase[],
): Promise<HookCoverage> {
  const calls = cases.flatMap((one) => toldCallsOf(one).map(({ questions }) => questions));
  const { counts, lostCalls } = await countCalls(new Prover(place, hook, true), calls);
  const idleMatchers = await listIdle(place, hook, calls);
  // Loaded here, since nothing else needs its libraries.
  const { coverSource } = await import("../card/compiler/covered-source.ts");
  return { ...(await coverSource({ compiled: hook, files: hook.files, counts })), idleMatchers, lostCalls };
}

type Calls = readonly (readonly ProvingQuestion[])[];

/** What ran in each process that was needed. If a call brings its process down, only what that call ran is lost. */
async function countCalls(prover: Prover, calls: Calls) {
  const counts: CountedFunction[][] = [];
  let lostCalls = 0;
  let last: CountedFunction[] | null = null;
  const ask = async (some: Calls): Promise<boolean> => {
    const lost = prover.lost;
    await Promise.all(some.flat().map((question) => prover.ask(question)));
    const now = await prover.counts();
    const isSame = prover.lost === lost;
    if (!isSame && last !== null) counts.push(last);
    last = now;
    return isSame;
  };
  try {
    for (let at = 0; at < calls.length; at += BATCH) {
      const batch = calls.slice(at, at + BATCH);
      if (await ask(batch)) continue;
      for (const call of batch) if (!(await ask([call]))) lostCalls++;
    }
  } finally {
    prover.end();
  }
  return { counts: last === null ? counts : [...counts, last], lostCalls };
}

/** Asks the engine what a matcher matches: it knows the names of all agents, and the parts of a call. */
async function listIdle(place: ProvingPlace, hook: TriedHook, calls: Calls): Promise<string[]> {
  const { matcher } = hook.policy;
  if (matcher === null) return [];
  const idle: string[] = [];
  for (const alternative of alternativesOf(matcher)) {
    const policy = { ...hook.policy, matcher: alternative, match: compileMatcher(alternative) };
    const prover = new Prover(place, { ...hook, policy, code: SILENT });
    try {
      const answers = await Promise.all(calls.flat().map((question) => prover.ask(question)));
      if (!answers.some(({ isAsked }) => isAsked)) idle.push(alternative);
    } finally {
      prover.end();
    }
  }
  return idle;
}

/** A policy that allows everything. */
const SILENT = "exports.default = { beforeToolCall() {}, afterToolCall() {} };";
