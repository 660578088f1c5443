import type { PlannedPolicy } from "../contract/plan.ts";
import { isLifecycleEvent, powersOf } from "../policy/taxonomy.ts";

/** The policy's name in the journal. */
export function policyNameOf({ card, cardVersion, hook }: PlannedPolicy): string {
  return `${card}@${cardVersion}#${hook}`;
}

/** Whether a matcher sees the name of a tool in this phase. */
export function isAboutTools(phase: string): boolean {
  if (phase === "pre-tool" || phase === "post-tool") return true;
  return isLifecycleEvent(phase) && powersOf(phase).subject === "tool";
}

/** Whether the policy is asked about this tool. */
export function wants({ match }: Pick<PlannedPolicy, "match">, tool: string): boolean {
  return match === null || new RegExp(match, "u").test(tool);
}
