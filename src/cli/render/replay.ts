import { groupedBy } from "../../kernel/order.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { ReplayReport } from "../../operations/diagnose/replay.ts";
import type { Console } from "../terminal/console.ts";
import { localTime } from "../terminal/style.ts";

const MOST_SHOWN = 50;
const LONGEST_CALL = 160;

/** What the guard would have done, call by call; then the figures, and everything that they leave out. */
export function renderReplay(report: ReplayReport, console: Console): void {
  const { found, isCut, isEnded, calls } = report;
  const groups = groupRepeats(found);
  for (const same of groups.slice(0, MOST_SHOWN)) renderCalls(same, console);
  const more = groups.slice(MOST_SHOWN).flat().length;
  if (more > 0) console.out(`… and ${more}${isCut ? " or more" : ""} more: --json has them`);
  if (calls > 0) renderFigures(report, console);
  // A replay that was ended early cannot say that it found nothing.
  else if (!isEnded) renderNothing(report, console);
  renderRest(report, console);
}

type FoundCall = ReplayReport["found"][number];

/** The same call with the same answers is shown once; calls that had worked come first, since these would be lost. */
function groupRepeats(found: readonly FoundCall[]): FoundCall[][] {
  const keyOf = ({ agent, tool, input, verdict, by, reason, outcome, against }: FoundCall) =>
    JSON.stringify([agent, tool, input, verdict, by, reason, outcome, against]);
  const groups = [...groupedBy(found, keyOf).values()];
  return [true, false].flatMap((ran) => groups.filter(([first]) => (first?.outcome === "ran") === ran));
}

function renderCalls(same: readonly FoundCall[], { out, style }: Console): void {
  const call = same.at(-1);
  if (call === undefined) return;
  const { at, agent, tool, input, verdict, outcome, folder, against } = call;
  const mark = against === null ? verdict : `${verdict}, not ${against.verdict}`;
  const paint = verdict === "deny" ? style.bad : style.warn;
  out(`${paint(mark)}  ${localTime(at).slice(0, 16)}  ${clean(agent)}  ${clean(tool)} ${clean(input, LONGEST_CALL)}`);
  for (const { by, reason, verdict: word } of against === null ? [call] : [call, against]) {
    if (by !== null) out(`      ${against === null ? "" : `${word} by `}${clean(by)}: ${clean(reason, 300)}`);
  }
  const where = folder === null ? "" : `, in ${clean(folder, 300)}`;
  const times = same.length === 1 ? "" : `${same.length} times, the last at this time; `;
  out(style.dim(`      ${times}it ${OUTCOMES[outcome]}${where}`));
}

const OUTCOMES = {
  ran: "worked",
  failed: "failed",
  refused: "was refused",
  unknown: "ended in an unknown way",
} as const;

function renderNothing({ hooks, readable, project, since }: ReplayReport, { out }: Console): void {
  if (hooks.length === 0) {
    out("There is no hook that could be replayed");
    return;
  }
  const where = project === null ? "on this machine" : `in ${clean(project, 500)}`;
  out(`No call ${where} since ${localTime(since)} could be replayed: drwn reads sessions of ${readable.join(", ")}`);
}

function renderFigures(report: ReplayReport, { out, style }: Console): void {
  const { calls, sessions, agents, denied, deniedThatRan, asked, rewritten, rate, rateAtMost } = report;
  const of = `${plural(calls, "call")} in ${plural(sessions, "session")} of ${plural(agents.length, "agent")}`;
  const ran = denied === 0 ? "" : ` (${deniedThatRan} of these had worked)`;
  const counts = `${denied} would have been denied${ran}, ${asked} asked about, ${rewritten} rewritten`;
  const share = `${percent(rate)} denied, at most ${percent(rateAtMost)} (95 %)`;
  out(`${style.bold(`Of ${of}, ${counts}`)}: ${share}`);
  if (calls < FEW) out(style.warn(proveLittle(calls)));
  for (const [name, { asked: times, deny, ask, rewrite }] of Object.entries(report.policies)) {
    out(`  ${clean(name)}: asked ${plural(times, "time")}, ${deny} denied, ${ask} asked about, ${rewrite} rewritten`);
  }
}

/** Names everything that was left out. */
function renderRest(report: ReplayReport, { out, style }: Console): void {
  const { notReplayed, left, isEnded, isCut, against, found, calls } = report;
  if (against !== null && calls > 0) {
    const few = found.length === 0 ? "none of them" : `${found.length}${isCut ? " or more" : ""} of them`;
    out(`The two sides differ on ${few}`);
  }
  for (const { hook, why } of notReplayed) out(style.warn(`  ${clean(hook)} was not replayed: ${clean(why)}`));
  for (const [why, count] of Object.entries(left)) out(style.warn(`  ${count} not replayed: ${clean(why, 300)}`));
  if (isEnded) out(style.warn("  You ended it before all calls were replayed"));
}

/** With fewer calls, a rate means little. */
export const FEW = 200;

/** Two significant digits, without powers of ten: `0.40 %`, `17 %`, `100 %`. */
export function percent(share: number): string {
  const digits = { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  return `${(share * 100).toLocaleString("en-US", digits)} %`;
}

export function proveLittle(calls: number): string {
  return `So few calls prove little: ${calls}; it takes about ${FEW}`;
}
