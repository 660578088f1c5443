import { type HookCase, printCase } from "../card/hooks/cases.ts";
import { askCalls } from "./ask-calls.ts";
import type { HookUnderTest } from "./hook-under-test.ts";
import { respellPath } from "./mutations/file-paths.ts";
import { type Mutant, mutantOf } from "./mutations/mutant.ts";
import { rewriteCommand } from "./mutations/shell-commands.ts";
import { mentionCommand } from "./mutations/shell-mentions.ts";
import type { ProvingSandbox } from "./sandbox.ts";
import { FOLDER, simulateCalls } from "./simulated-calls.ts";

export interface Survivor {
  hook: string;
  /** The case that it was made from, and what was done to it. */
  of: string;
  how: string;
  expected: "allow" | "refused";
  /** A line for `cases.jsonl`. */
  line: string;
}

export interface MutationFigures {
  tried: number;
  held: number;
  survivors: Survivor[];
}

/** A mutant. It only counts if the hook allows its control: the same call with a harmless text. */
interface Trial {
  mutant: Mutant;
  of: string;
  control: HookCase | null;
}

/**
 * Asks the hook about calls that come to the same as those of its cases. It must refuse a refused call however it is
 * written, and allow calls that only mention it.
 */
export async function mutateCases(
  place: ProvingSandbox,
  hook: HookUnderTest,
  cases: readonly HookCase[],
): Promise<MutationFigures> {
  const known = new Set(cases.map(({ id }) => id));
  const trials = cases.flatMap(trialsOf).filter(({ mutant }) => !known.has(mutant.case.id));
  const asked = trials.flatMap(({ mutant, control }) => [mutant.case, ...(control === null ? [] : [control])]);
  const answers = await askCalls(place, hook, asked.map(toCall));
  let at = 0;
  const figures: MutationFigures = { tried: 0, held: 0, survivors: [] };
  for (const { mutant, of, control } of trials) {
    const isLetThrough = answers[at++]?.verdict === "allow";
    // A guard that refuses this way of mentioning anything says nothing about what is mentioned.
    if (control !== null && answers[at++]?.verdict !== "allow") continue;
    figures.tried++;
    const expected = mutant.case.expect === "allow" ? "allow" : "refused";
    if (isLetThrough === (expected === "allow")) figures.held++;
    else
      figures.survivors.push({ hook: hook.policy.hook, of, how: mutant.how, expected, line: printCase(mutant.case) });
  }
  return figures;
}

function toCall(one: HookCase) {
  const [first] = simulateCalls(one);
  return { questions: first?.questions ?? [], isFresh: one.fresh };
}

function trialsOf(one: HookCase): Trial[] {
  const { id, tool, input, cwd = FOLDER, expect, phase = "pre-tool", todo = false } = one;
  if (todo || phase !== "pre-tool" || (expect !== "deny" && expect !== "ask")) return [];
  const { command } = input;
  const toTrial = (mutant: Mutant, control: HookCase | null = null): Trial => ({ mutant, of: id, control });
  if (tool !== "Bash" || typeof command !== "string") {
    return respellPath(input, cwd).map((other) => toTrial(mutantOf(one, other.how, { input: other.input, expect })));
  }
  const rewritten = rewriteCommand(command).map(({ how, text }) =>
    toTrial(mutantOf(one, how, { input: { ...input, command: text }, expect })),
  );
  const mentioned = mentionCommand(command).map(({ how, text, neutral }) => {
    const of = (said: string) =>
      mutantOf(one, `only in ${how}`, { input: { ...input, command: said }, expect: "allow" });
    return toTrial(of(text), of(neutral).case);
  });
  return [...rewritten, ...mentioned];
}
