import { checkVariables } from "../../doctor/check-variables.ts";
import type { Finding } from "../../kernel/finding.ts";
import type { Host } from "../../kernel/host.ts";
import { findMissingEntries } from "../../materialize/missing-entries.ts";
import { findMismatches } from "../../project/in-step.ts";
import { readWritten } from "../../wiring/written.ts";
import { openProject } from "../../workspace/open-project.ts";
import { describeCards, type ListedCards } from "./list.ts";
import { isPaused } from "./pause.ts";

export interface Status extends ListedCards {
  drwnHome: string;
  /** True when card.lock answers config.json. */
  lockInStep: boolean;
  /** True when `write` has put a plan in force. */
  planInForce: boolean;
  /** ISO 8601; until then no hook policy runs; null: not paused. */
  pausedUntil: string | null;
  /** Where this folder was when consents were given in it; null: here, or without consents. */
  movedFrom: string | null;
  /** What in the repository's own files, and in those of the agents, decides whether a guard is asked at all. */
  findings: Finding[];
}

/** The state of the project from its own files and this machine's ledger; doctor looks deeper. */
export function readStatus(host: Host): Status {
  const project = openProject(host);
  const { root, key, config, lock, ledger, formerPath } = project;
  const plan = ledger?.plan ?? null;
  return {
    ...describeCards(host, project),
    drwnHome: host.drwnHome,
    lockInStep: findMismatches(config, lock).length === 0,
    planInForce: plan !== null,
    pausedUntil: isPaused(ledger, host.now()) ? (ledger?.pausedUntil ?? null) : null,
    movedFrom: formerPath,
    findings:
      plan === null
        ? []
        : [
            ...checkVariables(root, readWritten(host.drwnHome, key)?.runtimes ?? []),
            ...findMissingEntries(host, { root, key, plan }),
          ],
  };
}
