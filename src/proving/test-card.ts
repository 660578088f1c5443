import { type HookCase, readCases } from "../card/hooks/cases.ts";
import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { coverCases, type HookCoverage } from "./cover-cases.ts";
import type { CardToTry } from "./find-card.ts";
import { type MutationFigures, mutateCases } from "./mutate-cases.ts";
import { type ProvingPlace, withPlace } from "./place.ts";
import { type CaseResult, runCases } from "./run-cases.ts";
import { compileTried, nameOfHook, type TriedHook } from "./tried-hook.ts";
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
  /** The results for calls that come to the same as those of the cases; null: nobody asked for them. */
  mutants: MutationFigures | null;
  /** The parts of it that its cases reach; null: nobody asked for that, or `notCovered` says why. */
  coverage: HookCoverage | null;
  notCovered: string | null;
}

export interface CardTest {
  card: string;
  version: string;
  from: CardToTry["from"];
  ok: boolean;
  hooks: TestedHook[];
  results: CaseResult[];
  /** Hooks in force that weren't asked about ways out, since they need more than the event. */
  notAsked: string[];
}

interface TestRequest {
  card: Pick<CardToTry, "files" | "from" | "hooks" | "manifest">;
  /** Absent: all. */
  hook?: string | undefined;
  /** Why hooks with capabilities are not run; null: they run with what they declare, in an empty project. */
  unreached: string | null;
  /** Also try calls that come to the same as those of the cases. */
  mutates?: boolean;
  /** Also count the parts of the hooks that the cases reach. */
  covers?: boolean;
  /** More hooks that must allow what the reasons propose. */
  stack?: readonly TriedHook[];
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
  return withPlace(async (place) => {
    const tested: { hook: TestedHook; results: CaseResult[] }[] = [];
    for (const { one, cases } of read) {
      const notRun = one.capabilities.length > 0 && cases.length > 0 ? wanted.unreached : null;
      const isRun = cases.length > 0 && notRun === null;
      const tried = isRun ? await compileTried(card, one.name) : undefined;
      const results = tried === undefined ? [] : await runCases(place, tried, cases);
      await checkWaysOut(place, results, stack);
      const proof = tried === undefined ? NO_PROOF : await proveMore(place, { tried, cases, results, from, ...wanted });
      tested.push({ hook: { ...count(one, cases, results), notRun, ...proof }, results });
    }
    const figures = tested.map((of) => of.hook);
    const ok = figures.every(({ failed }) => failed === 0);
    const results = tested.flatMap((of) => of.results);
    const notAsked = stack.filter(({ policy }) => policy.capabilities.length > 0).map(nameOfHook);
    return { card: manifest.name, version: manifest.version, from, ok, hooks: figures, results, notAsked };
  });
}

type Proof = Pick<TestedHook, "coverage" | "mutants" | "notCovered">;

const NO_PROOF: Proof = { mutants: null, coverage: null, notCovered: null };

interface RunHook extends Pick<TestRequest, "covers" | "mutates"> {
  tried: TriedHook;
  cases: readonly HookCase[];
  results: readonly CaseResult[];
  from: CardToTry["from"];
}

/** More than the answers to the cases: the answers to calls like them, and how much of the hook they reach. */
async function proveMore(place: ProvingPlace, { tried, cases, results, from, ...wanted }: RunHook): Promise<Proof> {
  const mutants = wanted.mutates === true ? await mutateCases(place, tried, passedOf(results)) : null;
  if (wanted.covers !== true) return { ...NO_PROOF, mutants };
  const notCovered = whyNotCovered(tried, from);
  const coverage = notCovered === null ? await coverCases(place, tried, cases) : null;
  return { mutants, coverage, notCovered };
}

/** Before Node 24, V8 can't count in a process that Node confines: then only the author's own code may run. */
function whyNotCovered({ policy }: TriedHook, from: CardToTry["from"]): string | null {
  if (from !== "source") return "only a source of your own is measured";
  return policy.capabilities.length === 0 ? null : "hooks with capabilities are not measured";
}

/** Only the passed ones: a hook that fails a case also fails everything that comes to the same. */
function passedOf(results: readonly CaseResult[]): HookCase[] {
  return results.flatMap(({ state, case: one }) => (state === "passed" ? [one] : []));
}

function count(
  { name, kind }: IndexedHook,
  cases: readonly HookCase[],
  results: readonly CaseResult[],
): Omit<TestedHook, "notRun" | keyof Proof> {
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
