import { targetsOf } from "../../agents/targets.ts";
import { type Guarding, readGuarding } from "../../guarding/guarding.ts";
import { adviseIn } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/finding.ts";
import type { Host } from "../../kernel/host.ts";
import { findMismatches } from "../../project/lock-mismatches.ts";
import { findGlobalBeside } from "../../workspace/locate-project.ts";
import { lookAtProject, type OpenProject } from "../../workspace/open-project.ts";
import { describeCards, type ListedCards } from "../project/list.ts";
import { isPaused } from "../project/pause.ts";
import { contradictFromTranscripts } from "./contradict.ts";

export interface Status extends ListedCards {
  drwnHome: string;
  /** True if card.lock matches config.json. */
  lockInStep: boolean;
  /** True if `write` has put a plan in force, and nothing has undone that. */
  planInForce: boolean;
  /** ISO 8601; until then no hook policy runs; null: not paused. */
  pausedUntil: string | null;
  /** Where this folder was when somebody consented in it; null: here, or nobody did. */
  movedFrom: string | null;
  /** What the agents here do without asking any hook, a sentence for each. */
  unasked: string[];
  /** What is wrong with the guards, or worth a person's look. */
  findings: Finding[];
}

export interface StatusOfBoth extends Status {
  /** What holds in every folder, this one included; null: nothing does, or the question was about that. */
  global: Status | null;
}

/** The state of the project, with what holds in every folder, and what the newest sessions here say about both. */
export async function readStatusOfBoth(host: Host): Promise<StatusOfBoth> {
  const other = findGlobalBeside(host);
  const global = other === undefined ? null : adviseIn("global", await seeStatus(other));
  return { ...(await seeStatus(host)), global };
}

async function seeStatus(host: Host): Promise<Status> {
  const project = lookAtProject(host);
  return readStatus(host, {
    project,
    guarding: await contradictFromTranscripts(host, readGuarding(host, project), project),
  });
}

/** What the caller has already found out. */
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
    unasked: targetsOf(listed.guarding.agents.map(({ runtime }) => runtime)).flatMap(({ unasked }) =>
      unasked === undefined ? [] : [`${unasked.what}; \`drwn log check\` finds such calls afterwards`],
    ),
    findings: listed.guarding.findings,
  };
}
