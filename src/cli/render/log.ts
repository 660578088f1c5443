import { advise, drwn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { AllowableCall } from "../../operations/diagnose/allow.ts";
import type { CheckedGap, LogCheck, UnguardedCall } from "../../operations/diagnose/compare-transcripts.ts";
import { fieldsOfCall, type LoggedCall, summarizeInput, type summarizeLog } from "../../operations/diagnose/log.ts";
import type { CommandAnswer, Console } from "../terminal/console.ts";
import { localTime, type Style } from "../terminal/style.ts";
import { renderTable } from "./table.ts";

const LONGEST_ASKED = 300;
/** This many digits of an id tell calls apart, and `drwn why` takes them. */
const ID_DIGITS = 8;

/**
 * One call: when, its outcome, in which agent, and what was asked; below it why, and who said so. On one line unless at
 * a terminal.
 */
export function renderEntry(call: LoggedCall, { out, style, isRead }: Pick<Console, "isRead" | "out" | "style">): void {
  const time = localTime(call.time);
  const head = `${time}  ${outcomeOf(call, style)}  ${clean(call.runtime, 40)}  ${whatOf(call)}`;
  const id = style.dim(call.id.slice(0, ID_DIGITS));
  const notes = notesOf(call);
  if (isRead)
    for (const line of [`${head}  ${id}`, ...notes.map((note) => " ".repeat(time.length + 2) + note)]) out(line);
  else out([head, ...notes, id].join("  "));
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
    ...policies.flatMap(({ policy, exception }) =>
      exception === undefined ? [] : [`${clean(policy, 200)}: it denied, and a person let this through (${exception})`],
    ),
    ...(call.rewritten === undefined ? [] : [describeRewrite(policies, call)]),
    ...(call.context === undefined ? [] : [`the agent was told ${call.context} characters of context`]),
  ];
}

/** Who gave the tool another input, and which. */
function describeRewrite(
  policies: LoggedCall["policies"],
  { tool, rewritten }: Pick<LoggedCall, "rewritten" | "tool">,
): string {
  const by = policies.filter(({ rewrote }) => rewrote === true).map(({ policy }) => clean(policy, 200));
  const into = typeof rewritten === "string" ? summarizeInput({ tool, input: rewritten }) : null;
  return `${by.join(", ")}: rewrote it${into === null ? "" : ` into: ${clean(into, LONGEST_ASKED)}`}`;
}

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
    if (count > SHOWN) out(style.dim(`  and ${count - SHOWN} more: drwn log --check --json`));
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

const RULES: Readonly<Record<string, string>> = {
  deny: "the first deny ends it: no other policy can undo it",
  failure: "an enforcement policy that cannot do its work blocks the call",
  "no-agreement": "policies kept rewriting each other's input, and after three rounds that is a deny",
  ask: "one policy asked and none denied: an ask keeps context and drops rewrites",
  allow: "no policy denied or asked: context is joined, the last rewrite wins, and every policy has judged it",
};

/** More than the journal keeps. */
const LONGEST_INPUT = 100_000;

/** Everything that the journal says about a call, for a person. */
export function explainCall(call: LoggedCall, console: Console): void {
  const { out, style } = console;
  renderEntry(call, console);
  out(`  agent        ${clean(call.runtime, 80)}`);
  if (call.input !== undefined) out(`  input        ${clean(call.input, LONGEST_INPUT)}`);
  for (const { policy, kind, decision, failure, rewrote, exception, applied, ms } of call.policies) {
    const word = rewrote === true && decision === "allow" ? "rewrote the input" : (decision ?? "");
    const said =
      failure !== undefined
        ? `failed: it ${failure}`
        : exception === undefined
          ? word
          : `${word}, let through by ${exception}`;
    out(
      `  ${kind.padEnd(11)}  ${clean(policy, 200)}  ${clean(said, 400)}${applied ? "" : ", noted only"}  ${style.dim(`${ms} ms`)}`,
    );
  }
  if (call.policies.length === 0) out("  no policy was asked");
  out(`  rule         ${ruleInWords(call)}`);
  out(`  agent got    ${clean(toldOf(call), 600)}`);
  if (call.rule === "deny" && call.named !== undefined && call.isWhole === true)
    out(advise`To let it through: ${drwn("allow", call.id)}`);
}

/** What the hook notes in place of a verdict during a pause. */
const PAUSED = /^all (?:global )?policies are paused until /u;

interface JournaledRuling {
  rule?: string | undefined;
  problem?: string | undefined;
  phase: string;
}

/** Which rule of composition made the verdict. */
export function ruleInWords({ rule, problem, phase }: JournaledRuling): string {
  if (rule !== undefined) return RULES[rule] ?? clean(rule, 80);
  if (problem !== undefined && PAUSED.test(problem)) return "paused policies judge no call";
  if (problem !== undefined)
    return "a call that cannot be judged is blocked if a policy enforces and the agent can hold it";
  return phase === "post-tool" ? "nothing is decided after a call" : "no policy said anything";
}

function toldOf({ effective, by, reason, problem, context, rewritten, runtime, rule }: LoggedCall): string {
  const parts = [
    ...(effective === "allow"
      ? []
      : [
          `${effective}${by === undefined ? "" : ` by ${by}`}${reason === undefined ? "" : `: ${rule === "failure" ? "it " : ""}${reason}`}`,
        ]),
    ...(problem === undefined ? [] : [problem]),
    ...(context === undefined ? [] : [`${context} characters of context`]),
    ...(rewritten === undefined ? [] : [rewritten === true ? "another input for the tool" : `the input ${rewritten}`]),
  ];
  return parts.length === 0 ? `nothing: ${runtime} goes on as if there were no hook` : parts.join("; ");
}

/** Nothing is cut, however long it is. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** What a person lets through, whole: every character can be seen, and nothing is cut. */
export function renderWholeCall({ call, reach }: AllowableCall, style: Style): string[] {
  const fields = fieldsOfCall(call).filter(({ name }) => call.tool !== "Bash" || name !== "description");
  return [
    `${clean(call.id, 64)} → ${style.bold(clean(call.tool ?? "", WHOLE))} in ${clean(call.named?.folder ?? "", WHOLE)}`,
    ...fields.flatMap(({ name, value }) => renderField(name, value)),
    `  denied by ${clean(call.by ?? "", 200)}: ${clean(call.reason ?? "", 400)}`,
    ...(reach === null ? [] : ["  The pattern also covers, in this folder:"]),
    ...(reach?.covers.map((command) => `    ${clean(command, 4_000)}`) ?? []),
    ...(reach === null || reach.leaves.length === 0 ? [] : ["  but not:"]),
    ...(reach?.leaves.map((command) => `    ${clean(command, 4_000)}`) ?? []),
  ];
}

function renderField(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const title = name === "" ? [] : [`  ${clean(name, WHOLE)}:`];
  return [...title, ...visibleLines(text).map((line) => `    ${line}`)];
}

const LONGEST_RUN = 8;

/** The lines of a text in which blanks can be seen. Long runs of them are counted, so that they hide nothing. */
export function visibleLines(text: string): string[] {
  const lines = text.split("\n").map(showBlanks);
  return lines.flatMap((line, at) => {
    if (line !== "") return [line];
    if (at > 0 && lines[at - 1] === "") return [];
    const end = lines.findIndex((other, from) => from > at && other !== "");
    const count = (end < 0 ? lines.length : end) - at;
    return [count === 1 ? "" : `(${count} empty lines)`];
  });
}

/** A blank between two words stays; others are dots and arrows. */
function showBlanks(line: string): string {
  const marked = line.replaceAll(/[·→]|(?! )\p{Zs}/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return clean(
    marked
      .replaceAll(/^ +| +$| {2,}/gu, (run) => counted("·", run.length))
      .replaceAll(/\t+/gu, (run) => counted("→", run.length)),
    WHOLE,
  );
}

function counted(mark: string, count: number): string {
  return count > LONGEST_RUN ? `${mark}(×${count})` : mark.repeat(count);
}

const HEADINGS = ["policy", "kind", "asked", "denies", "asks", "failures", "p50 ms", "p99 ms"];

/** How many calls there were, and how long each policy took. */
export function answerFigures(figures: ReturnType<typeof summarizeLog>): CommandAnswer {
  return {
    json: figures,
    print: ({ out, room }) => {
      const { calls, denies, asks, failures, p50, p99, policies } = figures;
      const counts = `${plural(denies, "deny", "denies")}, ${plural(asks, "ask")}, ${plural(failures, "failure")}`;
      out(`${plural(calls, "call")}: ${counts}; p50 ${p50} ms, p99 ${p99} ms`);
      const rows = policies.map((policy) => [
        policy.policy,
        policy.kind,
        ...[policy.asked, policy.denies, policy.asks, policy.failures, policy.p50, policy.p99].map(String),
      ]);
      for (const line of renderTable(HEADINGS, rows, room)) out(line);
    },
  };
}
