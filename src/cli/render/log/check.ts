import { clean, plural } from "../../../kernel/text.ts";
import type { CheckedGap, LogCheck, UnguardedCall } from "../../../operations/diagnose/check-log.ts";
import type { Console } from "../../terminal/console.ts";

/** How many of a kind are shown; `--json` has more. */
const SHOWN = 20;

export function renderLogCheck(check: LogCheck, { out, style }: Console): void {
  const { overruled, unseen, sessions, counts, agents, gaps, found, isGuarded } = check;
  if (counts.overruled > 0) out(style.bad(`${plural(counts.overruled, "denied call")} ran all the same:`));
  showSome(overruled, counts.overruled, (call) => out(describeStray(call, style)));
  if (counts.unseen > 0) out(style.bad(`${plural(counts.unseen, "call")} ran that no hook ever saw:`));
  showSome(unseen, counts.unseen, (call) => out(describeStray(call, style)));
  if (counts.sessions > 0) out(style.bad(`${plural(counts.sessions, "session")} ran without hooks:`));
  showSome(sessions, counts.sessions, ({ agent, session, calls }) =>
    out(`  ${agent}  ${clean(session, 80)}  ${plural(calls, "call")}`),
  );
  if (gaps.length > 0) out(style.warn("Not looked at, since drwn doesn't understand it:"));
  showSome(gaps, gaps.length, (gap) => out(describeGap(gap)));
  for (const { title, transcripts, calls } of agents) {
    out(style.dim(`${title}: ${plural(calls, "call")} to be asked about, in ${plural(transcripts, "transcript")}`));
  }
  if (!isGuarded)
    out("Nobody on this machine has consented to a policy that is asked before calls here: there is nothing to check");
  else if (agents.every(({ calls }) => calls === 0)) out("No call was found that a policy had to be asked about");
  else if (!found) out(style.good("The hook saw every call that was found, and none that it denied ran"));

  function showSome<T>(all: readonly T[], count: number, show: (one: T) => void): void {
    for (const one of all.slice(0, SHOWN)) show(one);
    if (count > SHOWN) out(style.dim(`  and ${count - SHOWN} more: drwn log check --json`));
  }
}

function describeStray(call: UnguardedCall, style: Console["style"]): string {
  const { agent, session, id, at, tool, subagent, denied } = call;
  const whose = subagent ? ", of a subagent" : "";
  const why = denied === null ? "" : `  denied as ${denied}`;
  return `  ${at}  ${agent}  ${clean(tool, 60)}  ${clean(id, 60)}${why}  ${style.dim(`session ${clean(session, 80)}${whose}`)}`;
}

function describeGap({ file, line, what, count }: CheckedGap): string {
  const where = line === null ? "" : count === 1 ? `line ${line} ` : `line ${line} and ${count - 1} more: it `;
  return `  ${clean(file, 1000)}: ${where}${clean(what, 300)}`;
}
