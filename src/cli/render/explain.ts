import { sayIn } from "../../kernel/advice.ts";
import { isProblem, type Problem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { Explanation } from "../../operations/diagnose/explain-event.ts";
import type { UnderstoodCommand } from "../../operations/diagnose/understand-command.ts";
import type { Console } from "../terminal/console.ts";
import { renderGuarding } from "./guarding.ts";

const LONGEST = 400;

/** What a command does, as guards read it, and what those in force say. */
export function renderCommand(
  { understood, asked }: { understood: UnderstoodCommand; asked: Explanation | Problem },
  console: Console,
): void {
  const { out, style } = console;
  out(style.bold("What drwn understands"));
  for (const { words, elsewhere } of understood.programs)
    out(`  runs       ${clean(words.join(" "), LONGEST)}${elsewhere === null ? "" : `, in another ${elsewhere}`}`);
  for (const { verb, what } of understood.does) out(`  ${verb.padEnd(10)} ${clean(what, LONGEST)}`);
  for (const what of understood.unknown) out(style.warn(`  not known  ${clean(what, LONGEST)}`));
  if (understood.does.length === 0 && understood.unknown.length === 0) out("  effects    none that drwn knows of");
  out(style.bold("What the guards say"));
  if (isProblem(asked)) {
    out(`  nothing: ${clean(asked.message, 1_000)}`);
    if (asked.hint !== undefined) out(`Next: ${clean(sayIn(console.scope, asked.hint), 1_000)}`);
    return;
  }
  renderAnswers(asked, console);
}

/** A hook never allows a call: it only doesn't object. */
const OUTCOME: Readonly<Record<string, string>> = {
  allow: "no guard objects",
  ask: "a person is asked",
  deny: "the call is denied",
};

function renderAnswers({ call, passedOver, guarding, runtime, agent: answered }: Explanation, console: Console): void {
  const { out, style } = console;
  const said = (call?.policies ?? []).filter(({ decision, failure }) => failure !== undefined || decision !== "none");
  for (const { policy, decision = "", failure, applied, answer } of said) {
    const what = failure === undefined ? decision : `fails: it ${failure}`;
    const reason = answer.reason === "" || failure !== undefined ? "" : `: ${clean(answer.reason, LONGEST)}`;
    out(`  ${clean(policy, 200)} ${clean(what, LONGEST)}${applied ? "" : " (without effect)"}${reason}`);
  }
  const agent = guarding.agents.find((one) => one.runtime === runtime);
  const place = agent === undefined ? `In ${runtime}, which isn't guarded here` : `In ${agent.title}`;
  const silent = (call?.policies.length ?? 0) - said.length;
  const guard = said.length === 0 ? "guard" : "other guard";
  const rest = [
    ...(silent === 0 ? [] : [plural(silent, `${guard} says nothing`, `${guard}s say nothing`)]),
    ...(passedOver.length === 0 ? [] : [plural(passedOver.length, `${guard} isn't asked`, `${guard}s aren't asked`)]),
  ];
  if (rest.length > 0) out(style.dim(`  ${rest.join(", ")}`));
  // The launcher ends without a word where nothing is to be guarded.
  if (call === null && answered.exitCode === 0 && answered.stdout === "")
    out(style.bad(`${place}: no guard is asked, and the call goes through`));
  else if (call === null) out(style.bad("The hook process did not get to it: the call is blocked"));
  else {
    const paint = call.effective === "deny" ? style.bad : call.effective === "ask" ? style.warn : style.good;
    out(paint(`${place}: ${OUTCOME[call.effective] ?? call.effective}`));
    if (call.problem !== undefined) out(clean(call.problem, LONGEST));
  }
  if (!guarding.ok) for (const line of renderGuarding(guarding, console)) out(line);
}
