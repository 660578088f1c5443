import type { DescribedServer } from "../../card/server.ts";
import type { HookFacts, PolicyPhase } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { describeIsolationGap, isolationGapsOf } from "../../kernel/isolation-gaps.ts";
import { clean } from "../../kernel/text.ts";
import type { Explanation, PassedOver } from "../../operations/diagnose/explain-event.ts";
import { isLifecycleEvent, type LifecycleEvent, powersOf } from "../../policy/lifecycle-events.ts";
import type { Console } from "../terminal/console.ts";
import { renderGuarding } from "./guarding.ts";
import { ruleInWords } from "./log.ts";

/** One line about one hook: `guard: enforcement on Bash, pre-tool, 5000 ms`, `rules: enforcement on prompt.submit, 5000 ms`. */
export function renderHook({
  name,
  kind,
  matcher,
  phases,
  timeoutMs,
  capabilities,
}: HookFacts & { name: string }): string {
  const uses = capabilities.length === 0 ? "" : `, may use ${capabilities.join(", ")}`;
  const event = eventOf(phases);
  const about = event === undefined ? describeTools(matcher) : clean(matcher ?? "");
  const scope = [about, phases.join(" and ")].filter((part) => part !== "");
  return `${clean(name)}: ${kind} on ${scope.join(", ")}, ${timeoutMs} ms${uses}`;
}

function describeTools(matcher: string | null): string {
  if (matcher === null) return "every tool";
  return matcher.startsWith("!") ? `every tool but ${clean(matcher.slice(1))}` : clean(matcher);
}

/** The event of a lifecycle hook; undefined: it is a tool policy. */
function eventOf(phases: readonly PolicyPhase[]): LifecycleEvent | undefined {
  return phases.find((phase) => isLifecycleEvent(phase));
}

/** What a failure of the hook does. */
export function describeKind({ kind, phases }: Pick<HookFacts, "kind" | "phases">): string {
  if (kind === "observer") return "observer: its failures change nothing";
  const event = eventOf(phases);
  if (event === undefined) return "enforcement: its failure blocks the call";
  const { hold } = powersOf(event);
  return hold === null
    ? "enforcement: a person is told of its failure, since there is nothing to hold"
    : `enforcement: its failure holds the event (${hold}), if the agent lets it be held`;
}

/** Which calls or lifecycle events it is asked about, and what it can do there. */
export function describeSight(matcher: string | null, phases: readonly PolicyPhase[]): string {
  const event = eventOf(phases);
  if (event === undefined) {
    const when = phases.map((phase) => (phase === "pre-tool" ? "before the call" : "after the call"));
    return `${describeTools(matcher)}, ${when.join(" and ")}`;
  }
  const { hold, injects, transforms, subject } = powersOf(event);
  const can = [
    ...(hold === null ? [] : [`hold it (${hold})`]),
    ...(injects ? ["add text for the model"] : []),
    ...(transforms ? ["change it"] : []),
  ];
  const which = matcher === null ? "" : ` whose ${subject ?? "subject"} is ${clean(matcher)}`;
  return `the event ${clean(event)}${which}; it can ${can.length === 0 ? "only watch it" : can.join(", ")}`;
}

/** What this Node doesn't keep a policy with these capabilities from, one line each. */
export function describeIsolationGaps(capabilities: readonly Capability[]): string[] {
  const { node } = process.versions;
  return isolationGapsOf(capabilities, node).map((gap) => describeIsolationGap(gap, node));
}

/** `docs runs: npx docs-server`. */
export function describeServerRun({ name, runs }: DescribedServer): string {
  return `${clean(name)} runs: ${clean(runs, 2000)}`;
}

/** Everything that a server would be given, a line each. */
export function describeGiven({ env, headers, variables }: DescribedServer): string[] {
  const named = variables.map((name) => clean(name, 200)).join(", ");
  return [
    ...Object.entries(env).map(([name, value]) => `env ${clean(name)}: ${clean(value, 200)}`),
    ...Object.entries(headers).map(([name, value]) => `header ${clean(name)}: ${clean(value, 200)}`),
    ...(named === "" ? [] : [`of your environment: ${named}`]),
  ];
}

const LONGEST = 2_000;

export function renderExplanation(
  { guarding, call, doubts, passedOver, agent, runtime, phase }: Explanation,
  console: Console,
): void {
  const { out, style } = console;
  for (const line of renderGuarding(guarding, console)) out(line);
  for (const doubt of doubts) out(style.warn(`warning: ${doubt}`));
  out(style.bold("Policies, in the order in which they were asked"));
  for (const { policy, kind, decision, failure, applied, mode, ms, answer } of call?.policies ?? []) {
    const said = failure === undefined ? (decision ?? "") : `failed: it ${failure}`;
    const weight = mode === undefined || mode === "enforce" ? kind : `${kind}, ${mode}`;
    out(
      `  ${clean(policy, 200)} (${weight}): ${clean(said, LONGEST)}${applied ? "" : ", noted only"}  ${style.dim(`${ms} ms`)}`,
    );
    if (failure === undefined && answer.reason !== "") out(`    reason ${clean(answer.reason, LONGEST)}`);
    if (answer.context !== undefined) out(`    context ${clean(answer.context, LONGEST)}`);
    if (answer.updatedInput !== undefined) out(`    input ${clean(JSON.stringify(answer.updatedInput), LONGEST)}`);
    if (answer.syntheticOutput !== undefined)
      out(`    result ${clean(JSON.stringify(answer.syntheticOutput), LONGEST)}`);
  }
  if ((call?.policies.length ?? 0) === 0) out("  none");
  for (const over of passedOver) out(style.dim(`  ${clean(over.policy, 200)}: not asked, ${WHY[over.why](over)}`));
  out(style.bold("Composition"));
  if (call === null) out("  the hook process did not get to it");
  else {
    const by = call.by === undefined ? "" : ` by ${clean(call.by, 200)}`;
    out(`  ${call.verdict}${by}: ${ruleInWords({ ...call, phase })}`);
    if (call.problem !== undefined) out(`  ${clean(call.problem, LONGEST)}`);
  }
  out(style.bold(`What ${runtime} gets`));
  out(`  exit status ${agent.exitCode ?? "none: it did not end in time"}`);
  out(
    `  stdout, ${Buffer.byteLength(agent.stdout)} bytes${agent.stdout === "" ? "" : `: ${clean(agent.stdout.replace(/\n$/u, ""), 100_000)}`}`,
  );
  out(
    `  stderr, ${Buffer.byteLength(agent.stderr)} bytes${agent.stderr === "" ? "" : `: ${clean(agent.stderr.replace(/\n$/u, ""), LONGEST)}`}`,
  );
}

const WHY: Readonly<Record<PassedOver["why"], (of: PassedOver) => string>> = {
  phase: () => "it is for the other phase",
  matcher: ({ matcher }) => `its matcher ${clean(matcher ?? "*", 200)} does not match`,
  "decided-before": () => "since the call was decided before",
  "not-read": () => "since no event could be read",
};
