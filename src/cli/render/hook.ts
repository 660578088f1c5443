import type { HookFacts, PolicyPhase } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { isolationGapsOf } from "../../kernel/isolation-gaps.ts";
import { clean } from "../../kernel/text.ts";
import { isLifecycleEvent, type LifecycleEvent, powersOf } from "../../operations/lifecycle.ts";

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

/** Which calls or moments it is asked about, and what it can do there. */
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
  return isolationGapsOf(capabilities, process.versions.node).map(describeIsolationGap);
}

export function describeIsolationGap(leak: string): string {
  return `Node ${process.versions.node.split(".")[0]} does not keep it from ${leak}`;
}
