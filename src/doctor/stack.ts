import type { PlannedPolicy } from "../contract/plan.ts";

/** As the journal names it. */
export function nameOf({ card, cardVersion, hook }: PlannedPolicy): string {
  return `${card}@${cardVersion}#${hook}`;
}

/** Whether the policy is asked about this tool. */
export function wants({ match }: PlannedPolicy, tool: string): boolean {
  return match === null || new RegExp(match).test(tool);
}
