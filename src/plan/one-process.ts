import { layout } from "../contract/layout.ts";
import { DRWN_ITSELF } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { confinedNote, fitOneProcess } from "../contract/processes.ts";

interface PlanLocation {
  home: string;
  key: string;
  planDigest: string | null;
}

/** The note for the launcher that one process is enough, as a change to plan. `texts`: what such a process reads. */
export function oneProcessNote(
  { home, key, planDigest }: PlanLocation,
  policies: readonly PlannedPolicy[],
  texts: readonly string[],
) {
  const isFit = planDigest !== null && fitOneProcess(policies);
  // In what comes with drwn, nobody has made names that collide.
  const isOurs = policies.every(({ publisher }) => publisher === DRWN_ITSELF);
  const characters = isOurs ? 0 : texts.reduce((sum, { length }) => sum + length, 0);
  const after = isFit ? Buffer.from(confinedNote(planDigest, policies, characters)) : null;
  return { path: layout.confined(home, key), after, what: "note that one process is enough", mode: 0o600 };
}
