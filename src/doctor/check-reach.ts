import type { Finding } from "../kernel/finding.ts";
import type { HookReach } from "../materialize/reach.ts";

/** Enforcement hooks that no guarded agent asks, or that can hold nothing in any of them. */
export function checkReach(reach: readonly HookReach[]): Finding[] {
  return reach.flatMap(({ card, hook, event, kind, agents }): Finding[] => {
    if (kind !== "enforcement" || agents.length > 0) return [];
    return [
      {
        code: "hook-runner-only",
        severity: "warning",
        subject: `${card}#${hook}`,
        message: `no agent that is guarded here tells of ${event}: nothing but drwn hook run asks this hook`,
        hint: `drwn hook run --event ${event} < payload.json`,
      },
    ];
  });
}
