import { findAdapter } from "../agents/adapters/calls.ts";
import { type CoveringAgent, missingAnswersAt } from "../agents/event-coverage.ts";
import { targetsOf } from "../agents/targets.ts";
import { ASK_FALLBACKS, type AskFallback, type PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Adapter } from "../hook-base/adapter/adapter.ts";
import { isolationGapsOf } from "../kernel/isolation-gaps.ts";
import type { AgentId } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/lifecycle-events.ts";
import type { WritePlan } from "./plan-write.ts";

/** Decisions that a card's policies may make but an agent cannot carry out. */
export interface UnsupportedDecision {
  runtime: AgentId;
  /** The name that people use for the agent. */
  title: string;
  card: string;
  /** Each a clause: "an ask falls through to allow". */
  lost: string[];
}

/** By card and agent. Nobody knows what a policy will decide before it runs, so this lists what could be lost. */
export function findUnsupportedDecisions({
  plan,
  agents,
  activations,
}: Pick<WritePlan, "plan" | "agents" | "activations">): UnsupportedDecision[] {
  const cards = [...new Set(plan.policies.map(({ card }) => card))];
  return agents.flatMap(({ runtime }) => {
    const adapter = findAdapter(runtime);
    if (adapter === undefined) return [];
    const { can, onlyIf = {}, title } = adapter;
    return cards.flatMap((card) => {
      const allowed = activations.find((activation) => activation.card === card)?.grant?.runtimes ?? null;
      if (allowed !== null && !allowed.includes(runtime)) return [];
      const lost = unsupportedDecisionsOf(
        plan.policies.filter((policy) => policy.card === card),
        { can, onlyIf },
      );
      return lost.length === 0 ? [] : [{ runtime, title, card, lost }];
    });
  });
}

const ASK_COMES_TO: Readonly<Record<AskFallback, string>> = {
  allow: "falls through to allow",
  "allow-reversible": "falls through to allow, or becomes a deny if its call can't be undone",
  deny: "becomes a deny",
};

function unsupportedDecisionsOf(
  policies: readonly PlannedPolicy[],
  { can, onlyIf = {} }: Pick<Adapter, "can" | "onlyIf">,
): string[] {
  const deciding = policies.filter(({ kind, phases }) => kind === "enforcement" && phases.includes("pre-tool"));
  const isAfter = policies.some(({ phases }) => phases.includes("post-tool"));
  const lost: string[] = [];
  if (deciding.length > 0 && (!can.ask || onlyIf.ask !== undefined)) {
    const weakest = ASK_FALLBACKS.find((one) => deciding.some(({ askFallback }) => askFallback === one)) ?? "deny";
    lost.push(`an ask ${ASK_COMES_TO[weakest]}${onlyIf.ask === undefined ? "" : ` unless ${onlyIf.ask}`}`);
  }
  if (deciding.length > 0 && !can.rewrite) lost.push("a rewritten input becomes a deny");
  if (deciding.length > 0 && !can.context) lost.push("context for the model is dropped");
  if (isAfter && !can["after-call"]) lost.push("nothing is told after a call");
  else if (isAfter && !can["after-failure"]) lost.push("a failed call is not reported");
  return lost;
}

/** Which agents ask a lifecycle hook. If none does, only `drwn hook run --event` asks it. */
export interface EventCoverage {
  card: string;
  hook: string;
  event: PolicyPhase;
  kind: PlannedPolicy["kind"];
  agents: CoveringAgent[];
}

/** For each lifecycle hook in force. An event fires only in agents that have it. */
export function findEventCoverage({
  plan,
  agents,
  activations,
}: Pick<WritePlan, "plan" | "agents" | "activations">): EventCoverage[] {
  return plan.policies.flatMap((policy) => {
    const { card, hook, kind } = policy;
    const event = policy.phases.find((phase) => isLifecycleEvent(phase));
    if (event === undefined) return [];
    const allowed = activations.find((activation) => activation.card === card)?.grant?.runtimes ?? null;
    const reached = agents
      .filter(({ runtime }) => allowed === null || allowed.includes(runtime))
      .flatMap(({ runtime }) => coverageOf(runtime, event));
    return [{ card, hook, event, kind, agents: reached }];
  });
}

function coverageOf(runtime: AgentId, event: PolicyPhase): CoveringAgent[] {
  const lacks = isLifecycleEvent(event) ? missingAnswersAt(runtime, event) : undefined;
  return lacks === undefined ? [] : [{ runtime, lacks }];
}

/** Whether an agent asks before it starts an MCP server of the project. */
export interface ServerStart {
  /** The name that people use for the agent. */
  title: string;
  /** A clause that describes it. */
  how: string;
}

/** For the project's agents, as far as drwn knows. */
export function findServerStarts({ agents }: Pick<WritePlan, "agents">): ServerStart[] {
  return targetsOf(agents.map(({ runtime }) => runtime)).flatMap(({ runtime, startsServers: how }) => {
    const title = findAdapter(runtime)?.title;
    return title === undefined || how === undefined ? [] : [{ title, how }];
  });
}

/** What one policy can do because this machine's Node doesn't prevent it, though nobody consented to that. */
export interface HookIsolationGaps {
  card: string;
  hook: string;
  /** In the form of `process.versions.node`. */
  nodeVersion: string;
  gaps: string[];
}

/** For the policies with capabilities: drwn itself confines the others, too. */
export function findIsolationGaps(policies: readonly PlannedPolicy[]): HookIsolationGaps[] {
  const nodeVersion = process.versions.node;
  return policies.flatMap(({ card, hook, capabilities }) => {
    const gaps = isolationGapsOf(capabilities, nodeVersion);
    return gaps.length === 0 ? [] : [{ card, hook, nodeVersion, gaps }];
  });
}
