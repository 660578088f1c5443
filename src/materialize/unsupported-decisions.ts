import { findAdapter } from "../agents/adapters/calls.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { Adapter } from "../hot/adapter/adapter.ts";
import type { AgentId } from "../policy/event.ts";
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

function unsupportedDecisionsOf(
  policies: readonly PlannedPolicy[],
  { can, onlyIf = {} }: Pick<Adapter, "can" | "onlyIf">,
): string[] {
  const deciding = policies.filter(({ kind, phases }) => kind === "enforcement" && phases.includes("pre-tool"));
  const isAfter = policies.some(({ phases }) => phases.includes("post-tool"));
  const lost: string[] = [];
  if (deciding.length > 0 && (!can.ask || onlyIf.ask !== undefined)) {
    const fallback = deciding.every(({ askFallback }) => askFallback === "deny")
      ? "becomes a deny"
      : "falls through to allow";
    lost.push(`an ask ${fallback}${onlyIf.ask === undefined ? "" : ` unless ${onlyIf.ask}`}`);
  }
  if (deciding.length > 0 && !can.rewrite) lost.push("a rewritten input becomes a deny");
  if (deciding.length > 0 && !can.context) lost.push("context for the model is dropped");
  if (isAfter && !can["after-call"]) lost.push("nothing is told after a call");
  else if (isAfter && !can["after-failure"]) lost.push("a failed call is not reported");
  return lost;
}
