import type { PlannedPolicy } from "../contract/plan.ts";
import { isolationGapsOf } from "../kernel/isolation-gaps.ts";

/** What one policy can do because this machine's Node doesn't prevent it, though nobody consented to that. */
export interface HookIsolationGaps {
  card: string;
  hook: string;
  /** In the form of `process.versions.node`. */
  nodeVersion: string;
  leaks: string[];
}

/** For the policies with capabilities: drwn itself confines the others, too. */
export function findIsolationGaps(policies: readonly PlannedPolicy[]): HookIsolationGaps[] {
  const nodeVersion = process.versions.node;
  return policies.flatMap(({ card, hook, capabilities }) => {
    const leaks = isolationGapsOf(capabilities, nodeVersion);
    return leaks.length === 0 ? [] : [{ card, hook, nodeVersion, leaks }];
  });
}
