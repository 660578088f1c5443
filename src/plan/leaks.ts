import type { PlannedPolicy } from "../contract/plan.ts";
import { leaksOf } from "../kernel/isolation.ts";

/** What the Node of this machine does not hold one policy to, although nobody consented to it. */
export interface HookLeaks {
  card: string;
  hook: string;
  /** As `process.versions.node` says it. */
  nodeVersion: string;
  leaks: string[];
}

/** Of the policies that have capabilities: the others are held by drwn itself, too. */
export function findLeaks(policies: readonly PlannedPolicy[]): HookLeaks[] {
  const nodeVersion = process.versions.node;
  return policies.flatMap(({ card, hook, capabilities }) => {
    const leaks = leaksOf(capabilities, nodeVersion);
    return leaks.length === 0 ? [] : [{ card, hook, nodeVersion, leaks }];
  });
}
