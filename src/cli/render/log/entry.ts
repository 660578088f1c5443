import { clean } from "../../../kernel/text.ts";
import type { LoggedCall } from "../../../operations/diagnose/log.ts";
import { summarizeInput } from "../../../operations/diagnose/summarize-input.ts";
import type { Console } from "../../terminal/console.ts";
import { localTime } from "../../terminal/local-time.ts";

const LONGEST_ASKED = 300;
/** This many digits of an id tell calls apart, and `drwn why` takes them. */
const ID_DIGITS = 8;

/**
 * One call: when, its outcome, in which agent, and what was asked; below it why, and who said so. On one line unless at
 * a terminal.
 */
export function renderEntry(call: LoggedCall, { out, style, isRead }: Pick<Console, "isRead" | "out" | "style">): void {
  const time = localTime(call.time);
  const head = `${time}  ${outcomeOf(call, style)}  ${clean(call.runtime, 40)}  ${whatOf(call)}  ${style.dim(call.id.slice(0, ID_DIGITS))}`;
  const notes = notesOf(call);
  if (isRead) for (const line of [head, ...notes.map((note) => " ".repeat(time.length + 2) + note)]) out(line);
  else out([head, ...notes].join("  "));
}

function outcomeOf({ verdict, effective }: LoggedCall, style: Console["style"]): string {
  const paint = verdict === "deny" ? style.bad : verdict === "ask" ? style.warn : style.good;
  return paint(clean(effective === verdict ? verdict : `${verdict}, taken as ${effective}`, 40).padEnd(5));
}

/** `Bash: rm -rf build`, `Bash (after)`, `prompt.submit: …`, `session.start resume`. */
function whatOf(call: LoggedCall): string {
  const { phase, tool } = call;
  const isTool = phase === "pre-tool" || phase === "post-tool";
  const eventName = `${clean(phase, 60)}${tool === null ? "" : ` ${clean(tool, 60)}`}`;
  const name = isTool ? `${clean(tool ?? "-", 60)}${phase === "post-tool" ? " (after)" : ""}` : eventName;
  const asked = summarizeInput(call);
  return asked === null ? name : `${name}: ${clean(asked, LONGEST_ASKED)}`;
}

function notesOf({ by, reason, rule, problem, policies, ...call }: LoggedCall): string[] {
  const who = clean(by ?? "drwn", 200);
  const said = rule === "failure" ? `it ${reason ?? "failed"}, and a guard that fails denies` : reason;
  const others = policies.filter(({ failure, policy }) => failure !== undefined && policy !== by);
  const shadows = policies.filter(
    ({ mode, decision }) => mode === "shadow" && (decision === "deny" || decision === "ask"),
  );
  return [
    ...(said === undefined ? [] : [`${who}: ${clean(said, 400)}`]),
    ...(problem === undefined ? [] : [`drwn: ${clean(problem, 400)}`]),
    ...others.map(({ policy, failure }) => `${clean(policy, 200)}: it ${clean(failure ?? "", 400)}`),
    ...shadows.map(({ policy, decision = "" }) => `${clean(policy, 200)}: ${clean(decision, 40)}, noted only`),
    ...(call.rewritten === undefined ? [] : ["the input was rewritten"]),
    ...(call.context === undefined ? [] : [`the agent was told ${call.context} characters of context`]),
  ];
}
