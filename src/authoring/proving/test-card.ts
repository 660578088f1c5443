import { type HookCase, readCases } from "../../card/hooks/cases.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { askCalls } from "./ask-calls.ts";
import type { CardUnderTest } from "./find-hooks.ts";
import { type MutationFigures, mutateCases } from "./mutate-cases.ts";
import { type CaseResult, runCases } from "./run-cases.ts";
import { compileHookUnderTest, type HookUnderTest, nameOfHook, type ProvingSandbox, withSandbox } from "./sandbox.ts";
import { simulateCalls } from "./simulated-calls.ts";

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
  /** The results for calls that come to the same as those of the cases; null: nobody asked for them. */
  mutants: MutationFigures | null;
}

export interface CardTest {
  card: string;
  version: string;
  from: CardUnderTest["from"];
  ok: boolean;
  hooks: TestedHook[];
  results: CaseResult[];
  /** Hooks in force that weren't asked about ways out, since they need more than the event. */
  notAsked: string[];
}

interface TestRequest {
  card: Pick<CardUnderTest, "files" | "from" | "hooks" | "manifest">;
  /** Absent: all. */
  hook?: string | undefined;
  /** Why hooks with capabilities are not run; null: they run with what they declare, in an empty project. */
  unreached: string | null;
  /** Also try calls that come to the same as those of the cases. */
  mutates?: boolean;
  /** More hooks that must allow what the reasons propose. */
  stack?: readonly HookUnderTest[];
}

/** Runs the cases of a card's hooks. The caller has asked whether the card's code may run. */
export async function testCard({ card, hook, stack = [], ...wanted }: TestRequest): Promise<CardTest> {
  const { manifest, files, hooks, from } = card;
  if (hook !== undefined && !hooks.some(({ name }) => name === hook)) {
    throw new Problem("DRWN_HOOK_MISSING", `${manifest.name} has no hook \`${clean(hook)}\``, {
      details: [`its hooks: ${hooks.map(({ name }) => name).join(", ") || "none"}`],
    });
  }
  const asked = hooks.filter(({ name }) => hook === undefined || name === hook);
  // Reads all of them before it runs anything.
  const read = asked.map((one) => ({ one, cases: readCases(files, one.name) }));
  return withSandbox(async (place) => {
    const tested: { hook: TestedHook; results: CaseResult[] }[] = [];
    for (const { one, cases } of read) {
      const notRun = one.capabilities.length > 0 && cases.length > 0 ? wanted.unreached : null;
      const isRun = cases.length > 0 && notRun === null;
      const tried = isRun ? await compileHookUnderTest(card, one.name) : undefined;
      const results = tried === undefined ? [] : await runCases(place, tried, cases);
      await checkAlternatives(place, results, stack);
      const isMutated = wanted.mutates === true && tried !== undefined;
      const mutants = isMutated ? await mutateCases(place, tried, passedOf(results)) : null;
      tested.push({ hook: { ...count(one, cases, results), notRun, mutants }, results });
    }
    const figures = tested.map((of) => of.hook);
    const ok = figures.every(({ failed }) => failed === 0);
    const results = tested.flatMap((of) => of.results);
    const notAsked = stack.filter(({ policy }) => policy.capabilities.length > 0).map(nameOfHook);
    return { card: manifest.name, version: manifest.version, from, ok, hooks: figures, results, notAsked };
  });
}

/** Only the passed ones: a hook that fails a case also fails everything that comes to the same. */
function passedOf(results: readonly CaseResult[]): HookCase[] {
  return results.flatMap(({ state, case: one }) => (state === "passed" ? [one] : []));
}

function count(
  { name, kind }: IndexedHook,
  cases: readonly HookCase[],
  results: readonly CaseResult[],
): Omit<TestedHook, "notRun" | "mutants"> {
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

/**
 * Asks hooks about the calls that the reasons of cases propose. If another guard closes that way out, the case fails.
 * Doesn't ask hooks that need more than the event.
 */
async function checkAlternatives(
  place: ProvingSandbox,
  results: readonly CaseResult[],
  stack: readonly HookUnderTest[],
): Promise<void> {
  const proposed = results.flatMap((result) => {
    const { instead, cwd, id, agent } = result.case;
    if (instead === undefined) return [];
    return simulateCalls({ cwd, ...instead, id, agent, expect: "allow" }).map((call) => ({ result, told: call }));
  });
  if (proposed.length === 0) return;
  const calls = proposed.map(({ told: { questions } }) => ({ questions }));
  for (const hook of stack.filter(({ policy }) => policy.capabilities.length === 0)) {
    const answers = await askCalls(place, hook, calls);
    for (const [at, { result, told: call }] of proposed.entries()) {
      const answer = answers[at];
      if (answer === undefined || answer.verdict === "allow") continue;
      const { agent, tool } = call;
      const expected = `allow by all that is in force: ${JSON.stringify(result.case.instead?.input)}`;
      const received = `${answer.verdict} by ${nameOfHook(hook)}: ${answer.reason}`;
      result.differences.push({ agent, tool, field: "instead", expected, received });
      result.state = result.case.todo === true ? "todo" : "failed";
    }
  }
}
