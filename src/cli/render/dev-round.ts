import { clean } from "../../kernel/text.ts";
import type { DevAnswers, DevRound } from "../../operations/author/dev-card.ts";
import type { Console } from "../terminal/console.ts";
import { renderProblem } from "./problem.ts";
import { renderCardTest } from "./proving/card-test.ts";

/** The result of a save: why it doesn't compile, or the answers to the event and the cases. */
export function renderRound(round: DevRound, console: Console): void {
  if (round.problem === null) renderAnswers(round, console);
  renderRest(round, console);
}

export function renderAnswers({ answers, call, answeredMs }: DevAnswers, { out, style }: Console): void {
  const about = call === null ? "" : ` about call ${clean(call)}`;
  out(style.dim(`compiled, and asked${about}, in ${answeredMs} ms`));
  for (const answer of answers) for (const line of describeAnswer(answer, style)) out(line);
}

/** What came after the answers, or instead of them. */
export function renderRest({ problem, tests }: DevRound, console: Console): void {
  for (const line of problem === null ? [] : renderProblem(problem, console)) console.out(line);
  for (const test of tests) renderCardTest(test, console);
}

function describeAnswer({ hook, notRun, judgement }: DevAnswers["answers"][number], style: Console["style"]): string[] {
  const name = style.bold(clean(hook));
  if (notRun !== null) return [`${name}: not asked: ${clean(notRun, 400)}`];
  if (judgement === null || !judgement.isAsked)
    return [`${name}: not asked: its matcher or its phase leaves this call out`];
  const { verdict, reason, isFailure, updatedInput, context } = judgement;
  const paint = verdict === "deny" ? style.bad : verdict === "ask" ? style.warn : style.good;
  const why = reason === "" ? "" : `: ${clean(reason, 2_000)}`;
  return [
    `${name}: ${paint(verdict)}${isFailure ? ", since it failed" : ""}${why}`,
    ...(updatedInput === null ? [] : [`  the input instead: ${clean(JSON.stringify(updatedInput), 2_000)}`]),
    ...(context === null ? [] : [`  the model is told: ${clean(context, 2_000)}`]),
  ];
}
