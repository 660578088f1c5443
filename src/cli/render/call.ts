import { clean } from "../../kernel/text.ts";
import type { LoggedCall } from "../../operations/diagnose/log.ts";
import type { Console } from "../terminal/console.ts";
import { renderEntry } from "./log/entry.ts";

const RULES: Readonly<Record<string, string>> = {
  deny: "the first deny ends it: no other policy can undo it",
  failure: "an enforcement policy that cannot do its work blocks the call",
  "no-agreement": "policies kept rewriting each other's input, and after three rounds that is a deny",
  ask: "one policy asked and none denied: an ask keeps context and drops rewrites",
  allow: "nobody denied or asked: context is joined, the last rewrite wins and everybody has judged it",
};

/** More than the journal keeps. */
const LONGEST_INPUT = 100_000;

/** Everything that the journal says about a call, for a person. */
export function explainCall(call: LoggedCall, console: Console): void {
  const { out, style } = console;
  renderEntry(call, console);
  out(`  agent        ${clean(call.runtime, 80)}`);
  if (call.input !== undefined) out(`  input        ${clean(call.input, LONGEST_INPUT)}`);
  for (const { policy, kind, decision, failure, applied, ms } of call.policies) {
    const said = failure === undefined ? (decision ?? "") : `failed: it ${failure}`;
    out(
      `  ${kind.padEnd(11)}  ${clean(policy, 200)}  ${clean(said, 400)}${applied ? "" : ", noted only"}  ${style.dim(`${ms} ms`)}`,
    );
  }
  if (call.policies.length === 0) out("  no policy was asked");
  out(`  rule         ${ruleInWords(call)}`);
  out(`  agent got    ${clean(toldOf(call), 600)}`);
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
  return phase === "post-tool" ? "nothing is decided after a call" : "nobody said anything: allow is silence";
}

function toldOf({ effective, by, reason, problem, context, rewritten, runtime, rule }: LoggedCall): string {
  const parts = [
    ...(effective === "allow"
      ? []
      : [`${effective}${reason === undefined ? "" : ` because ${rule === "failure" ? "the policy " : ""}${reason}`}`]),
    ...(effective === "allow" || by === undefined ? [] : [`in the name of ${by}`]),
    ...(problem === undefined ? [] : [problem]),
    ...(context === undefined ? [] : [`${context} characters of context`]),
    ...(rewritten === undefined ? [] : [rewritten === true ? "another input for the tool" : `the input ${rewritten}`]),
  ];
  return parts.length === 0 ? `nothing: ${runtime} goes on as if there were no hook` : parts.join("; ");
}
