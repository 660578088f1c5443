import { layout } from "../contract/layout.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { fitOneProcess } from "../contract/processes.ts";

/** The note that nobody looks at results. If one process is enough for the plan, the note about that says this, too. */
export function unheardNote(
  { home, key }: { home: string; key: string },
  { planDigest, policies }: { planDigest: string | null; policies: PlannedPolicy[] },
) {
  const isHeard =
    planDigest === null || fitOneProcess(policies) || policies.some(({ phases }) => phases.includes("post-tool"));
  const after = isHeard ? null : Buffer.from(`${planDigest}\n`);
  return { path: layout.unheard(home, key), after, what: "note that nobody looks at results", mode: 0o600 };
}
