import { findAdapter } from "../agents/adapters.ts";
import { type CoveringAgent, missingAnswersAt } from "../agents/event-coverage.ts";
import { targetsOf } from "../agents/targets.ts";
import { ASK_FALLBACKS, type AskFallback, type PolicyPhase } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Adapter } from "../hook-base/adapter/adapter.ts";
import { describeIsolationGap, isolationGapsOf } from "../kernel/isolation-gaps.ts";
import { groupedBy } from "../kernel/order.ts";
import type { Finding } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/lifecycle-events.ts";
import type { WritePlan } from "./plan-write.ts";

/** What a person should know about the policies in force that isn't a fault: limits of the agents. */
export function describeLimits(planned: Planned): Finding[] {
  const covered = findEventCoverage(planned).map(describeEventCoverage);
  return [...covered, ...describeUnsupported(findUnsupportedDecisions(planned))];
}

type Planned = Pick<WritePlan, "plan" | "agents" | "activations">;

function limit(code: string, subject: string, message: string): Finding {
  return { code, severity: "info", subject, message, hint: null };
}

/** Decisions that a card's policies may make but an agent cannot carry out. */
interface UnsupportedDecision {
  runtime: AgentId;
  /** The name that people use for the agent. */
  title: string;
  card: string;
  /** Each a clause: "an ask falls through to allow". */
  lost: string[];
}

/** By card and agent. Nobody knows what a policy will decide before it runs, so this lists what could be lost. */
export function findUnsupportedDecisions({ plan, agents, activations }: Planned): UnsupportedDecision[] {
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

/** The same limit of an agent is said once, for all cards that it is about. */
function describeUnsupported(all: readonly UnsupportedDecision[]): Finding[] {
  const groups = groupedBy(all, ({ title, lost }) => `limit of ${title}: ${lost.join("; ")}`);
  return [...groups].map(([message, same]) =>
    limit("decision-unsupported", same.map(({ card }) => card).join(", "), message),
  );
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
export function findEventCoverage({ plan, agents, activations }: Planned): EventCoverage[] {
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

function describeEventCoverage({ card, hook, event, agents }: EventCoverage): Finding {
  const which = agents.map(
    ({ runtime, lacks }) => `${runtime}${lacks.length === 0 ? "" : ` (no ${lacks.join(", no ")})`}`,
  );
  const isEnd =
    (event === "turn.stop" || event === "subagent.stop") && agents.some(({ lacks }) => !lacks.includes("hold"));
  const where = which.length === 0 ? "runner only" : `active on: ${which.join(", ")}`;
  return limit("event-coverage", `${card}#${hook}`, `on ${event} it is ${where}${isEnd ? TURN_LIMIT : ""}`);
}

/** How the hook process stops hooks that would keep a turn going for ever. */
const TURN_LIMIT = "; it keeps a turn going 8 times in a row at most, and once where it fails";

function coverageOf(runtime: AgentId, event: PolicyPhase): CoveringAgent[] {
  const lacks = isLifecycleEvent(event) ? missingAnswersAt(runtime, event) : undefined;
  return lacks === undefined ? [] : [{ runtime, lacks }];
}

/** Whether each of the project's agents asks before it starts an MCP server of the project, as far as drwn knows. */
export function describeServerStarts({ agents }: Pick<WritePlan, "agents">): Finding[] {
  return targetsOf(agents.map(({ runtime }) => runtime)).flatMap(({ runtime, startsServers: how }) => {
    const title = findAdapter(runtime)?.title;
    return title === undefined || how === undefined ? [] : [limit("server-start", title, how)];
  });
}

/**
 * What a policy can do because this machine's Node doesn't prevent it, though nobody consented to that. drwn itself
 * confines the policies without capabilities, too.
 */
export function findIsolationGaps(policies: readonly PlannedPolicy[]): Finding[] {
  const nodeVersion = process.versions.node;
  return policies.flatMap(({ card, hook, capabilities }) =>
    isolationGapsOf(capabilities, nodeVersion).map((gap) =>
      limit("isolation-gap", `${card}#${hook}`, describeIsolationGap(gap, nodeVersion)),
    ),
  );
}
