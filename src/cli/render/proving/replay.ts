import { clean, plural } from "../../../kernel/text.ts";
import type { ReplayReport } from "../../../operations/diagnose/replay.ts";
import type { Console } from "../../terminal/console.ts";

const MOST_SHOWN = 50;
const LONGEST_CALL = 160;

/** What the guard would have done, call by call; then the figures, and everything that they leave out. */
export function renderReplay(report: ReplayReport, console: Console): void {
  const { found, isCut, calls } = report;
  for (const call of found.slice(0, MOST_SHOWN)) renderCall(call, console);
  const more = found.length - MOST_SHOWN;
  if (more > 0) console.out(`… and ${more}${isCut ? " or more" : ""} more: --json has them`);
  if (calls === 0) renderNothing(report, console);
  else renderFigures(report, console);
  renderRest(report, console);
}

function renderCall(call: ReplayReport["found"][number], { out, style }: Console): void {
  const { at, agent, tool, input, verdict, by, reason, outcome, folder, against } = call;
  const mark = verdict === "deny" ? style.bad(verdict) : style.warn(verdict);
  const was = against === null ? "" : `, ${against.verdict} by the other side`;
  out(`${mark}  ${at.slice(0, 16)}  ${clean(agent)}  ${clean(tool)} ${clean(input, LONGEST_CALL)}`);
  const who = by ?? against?.by ?? "";
  const why = reason === "" ? (against?.reason ?? "") : reason;
  out(`      ${clean(who)}: ${clean(why, 300)}${was}`);
  out(style.dim(`      it ${OUTCOMES[outcome]}${folder === null ? "" : `, in ${clean(folder, 300)}`}`));
}

const OUTCOMES = {
  ran: "worked",
  failed: "failed",
  refused: "was refused",
  unknown: "ended in a way that is not known",
} as const;

function renderNothing({ hooks, readable, project }: ReplayReport, { out }: Console): void {
  if (hooks.length === 0) {
    out("There is no hook that could be replayed");
    return;
  }
  const where = project === null ? "on this machine" : `in ${clean(project, 500)}`;
  out(`No call ${where} that could be replayed: drwn reads sessions of ${readable.join(", ")}`);
}

function renderFigures(report: ReplayReport, { out, style }: Console): void {
  const { calls, sessions, agents, denied, deniedThatRan, asked, rewritten, rate, rateAtMost } = report;
  const of = `${plural(calls, "call")} in ${plural(sessions, "session")} of ${plural(agents.length, "agent")}`;
  const ran = denied === 0 ? "" : ` (${deniedThatRan} of these had worked)`;
  const counts = `${denied} would have been denied${ran}, ${asked} asked about, ${rewritten} rewritten`;
  const share = `${percent(rate)} denied, at most ${percent(rateAtMost)} (95 %)`;
  out(`${style.bold(`Of ${of}, ${counts}`)}: ${share}`);
  if (calls < FEW) out(style.warn(`So few calls prove little: ${calls}, of ${FEW} that would say something`));
  for (const [name, { asked: times, deny, ask, rewrite }] of Object.entries(report.policies)) {
    out(`  ${clean(name)}: asked ${plural(times, "time")}, ${deny} denied, ${ask} asked about, ${rewrite} rewritten`);
  }
}

/** With fewer, no rate is worth much. */
const FEW = 200;

/** Nothing is left out without a word. */
function renderRest(
  { notReplayed, left, isEnded, against, found, calls }: ReplayReport,
  { out, style }: Console,
): void {
  if (against !== null && found.length === 0 && calls > 0) out("The two sides do not differ");
  for (const { hook, why } of notReplayed) out(style.warn(`  ${clean(hook)} was not replayed: ${clean(why)}`));
  for (const [why, count] of Object.entries(left)) out(style.warn(`  ${count} not replayed: ${clean(why, 300)}`));
  if (isEnded) out(style.warn("  You ended it before all calls were replayed"));
}

function percent(rate: number): string {
  return `${(rate * 100).toPrecision(2)} %`;
}
