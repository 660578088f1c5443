import type { Guarding } from "../../guarding/guarding.ts";
import type { Finding } from "../../kernel/finding.ts";
import type { Host } from "../../kernel/host.ts";
import { findMismatches } from "../../project/in-step.ts";
import { lookAtProject, type OpenProject } from "../../workspace/open-project.ts";
import { besideProject } from "../project/every-folder.ts";
import { describeCards, type ListedCards } from "../project/list.ts";
import { isPaused } from "../project/pause.ts";

export interface Status extends ListedCards {
  drwnHome: string;
  /** True when card.lock answers config.json. */
  lockInStep: boolean;
  /** True when `write` has put a plan in force, and it stands. */
  planInForce: boolean;
  /** ISO 8601; until then no hook policy runs; null: not paused. */
  pausedUntil: string | null;
  /** Where this folder was when consents were given in it; null: here, or without consents. */
  movedFrom: string | null;
  /** What is wrong with the guards, and what of them a person should look at. */
  findings: Finding[];
}

export interface StatusOfBoth extends Status {
  /** What holds in every folder, this one included; null: nothing, or it is what was asked about. */
  global: Status | null;
}

/** The state of the project, with what holds in every folder. */
export function readStatusOfBoth(host: Host): StatusOfBoth {
  return { ...readStatus(host), global: besideProject(host, (other) => readStatus(other)) };
}

/** What somebody has found out already. */
interface Known {
  project: OpenProject;
  guarding: Guarding;
}

/** The state of the project from its own files and this machine's; doctor looks deeper. */
export function readStatus(host: Host, known?: Known): Status {
  const project = known?.project ?? lookAtProject(host);
  const { config, lock, ledger, formerPath } = project;
  const listed = describeCards(host, project, known?.guarding);
  return {
    ...listed,
    drwnHome: host.drwnHome,
    lockInStep: findMismatches(config, lock).length === 0,
    planInForce: ledger?.plan != null && listed.guarding.stands,
    pausedUntil: isPaused(ledger, host.now()) ? (ledger?.pausedUntil ?? null) : null,
    movedFrom: formerPath,
    findings: listed.guarding.findings,
  };
}
