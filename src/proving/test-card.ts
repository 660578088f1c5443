import { type HookCase, readCases } from "../card/hooks/cases.ts";
import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { CardToTry } from "./find-card.ts";
import { type MutationFigures, mutateCases } from "./mutate-cases.ts";
import { withPlace } from "./place.ts";
import { type CaseResult, runCases } from "./run-cases.ts";
import { compileTried, type TriedHook } from "./tried-hook.ts";
import { checkWaysOut } from "./ways-out.ts";

export interface TestedHook {
  name: string;
  kind: "enforcement" | "observer";
  cases: number;
  passed: number;
  failed: number;
  todo: number;
  /** Cases that expect a deny or an ask, and those that expect the call to go through. */
  refused: number;
  allowed: number;
  /** Why its cases were not run; null: they were. */
  notRun: string | null;
  /** What became of calls that come to the same as those of the cases; null: nobody asked for them. */
  mutants: MutationFigures | null;
}

export interface CardTest {
  card: string;
  version: string;
  from: CardToTry["from"];
  ok: boolean;
  hooks: TestedHook[];
  results: CaseResult[];
}

interface TestRequest {
  card: Pick<CardToTry, "files" | "from" | "hooks" | "manifest">;
  /** Absent: all. */
  hook?: string | undefined;
  /** Why hooks with capabilities are not run; null: they run with what they declare, in an empty project. */
  unreached: string | null;
  /** Calls that come to the same as those of the cases are tried, too. */
  mutates?: boolean;
  /** Hooks that have to allow what the reasons propose, too. */
  stack?: readonly TriedHook[];
}

/** Runs the cases of a card's hooks. Whoever calls it has asked whether the card's code may run. */
export async function testCard({ card, hook, unreached, mutates = false, stack = [] }: TestRequest): Promise<CardTest> {
  const { manifest, files, hooks, from } = card;
  if (hook !== undefined && !hooks.some(({ name }) => name === hook)) {
    throw new Problem("DRWN_HOOK_MISSING", `${manifest.name} has no hook \`${clean(hook)}\``, {
      details: [`its hooks: ${hooks.map(({ name }) => name).join(", ") || "none"}`],
    });
  }
  const wanted = hooks.filter(({ name }) => hook === undefined || name === hook);
  // All of them are read before anything runs.
  const read = wanted.map((one) => ({ one, cases: readCases(files, one.name) }));
  return withPlace(async (place) => {
    const tested: { hook: TestedHook; results: CaseResult[] }[] = [];
    for (const { one, cases } of read) {
      const notRun = one.capabilities.length > 0 && cases.length > 0 ? unreached : null;
      const isRun = cases.length > 0 && notRun === null;
      const tried = isRun ? await compileTried(card, one.name) : undefined;
      const results = tried === undefined ? [] : await runCases(place, tried, cases);
      await checkWaysOut(place, results, stack);
      const mutants = tried === undefined || !mutates ? null : await mutateCases(place, tried, passedOf(results));
      tested.push({ hook: { ...count(one, cases, results), notRun, mutants }, results });
    }
    const figures = tested.map((of) => of.hook);
    const ok = figures.every(({ failed }) => failed === 0);
    const results = tested.flatMap((of) => of.results);
    return { card: manifest.name, version: manifest.version, from, ok, hooks: figures, results };
  });
}

/** A hook that fails a case fails whatever comes to the same. */
function passedOf(results: readonly CaseResult[]): HookCase[] {
  return results.flatMap(({ state, case: one }) => (state === "passed" ? [one] : []));
}

function count(
  { name, kind }: IndexedHook,
  cases: readonly HookCase[],
  results: readonly CaseResult[],
): Omit<TestedHook, "mutants" | "notRun"> {
  const of = (...states: CaseResult["state"][]) => results.filter(({ state }) => states.includes(state)).length;
  const refused = cases.filter(({ expect }) => expect === "deny" || expect === "ask").length;
  return {
    name,
    kind,
    cases: cases.length,
    passed: of("passed", "done"),
    failed: of("failed"),
    todo: of("todo"),
    refused,
    allowed: cases.length - refused,
  };
}
