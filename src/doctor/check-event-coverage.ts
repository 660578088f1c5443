import type { Finding } from "../kernel/finding.ts";
import type { EventCoverage } from "../materialize/event-coverage.ts";

/** Enforcement hooks that no guarded agent asks, or whose event no guarded agent can hold. */
export function checkEventCoverage(reach: readonly EventCoverage[]): Finding[] {
  return reach.flatMap(({ card, hook, event, kind, agents }): Finding[] => {
    if (kind !== "enforcement") return [];
    const subject = `${card}#${hook}`;
    if (agents.length > 0) {
      if (!agents.every(({ lacks }) => lacks.includes("hold"))) return [];
      const names = agents.map(({ runtime }) => runtime).join(" and ");
      const message = `${names} cannot hold ${event}: this guard is asked, but drwn only notes what it says`;
      return [{ code: "hook-holds-nothing", severity: "warning", subject, message, hint: null }];
    }
    return [
      {
        code: "hook-runner-only",
        severity: "warning",
        subject,
        message: `no agent that is guarded here reports ${event}: only drwn hook run asks this hook`,
        hint: `drwn hook run --event ${event} < payload.json`,
      },
    ];
  });
}
