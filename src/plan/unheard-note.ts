import { layout } from "../contract/layout.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { fitOneProcess } from "../contract/processes.ts";

/** The note of a plan that one process is enough for says it, too. */
export function unheardNote(
  { home, key }: { home: string; key: string },
  { planDigest, policies }: { planDigest: string | null; policies: PlannedPolicy[] },
) {
  const isHeard =
    planDigest === null || fitOneProcess(policies) || policies.some(({ phases }) => phases.includes("post-tool"));
  const after = isHeard ? null : Buffer.from(`${planDigest}\n`);
  return { path: layout.unheard(home, key), after, what: "note that nobody looks at results", mode: 0o600 };
}
