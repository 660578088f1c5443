import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { readGuarding } from "../../guarding/guarding.ts";
import { HeardCalls } from "../../journal/heard-calls.ts";
import type { JournalLine } from "../../journal/line.ts";
import { eachCall } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { readPlanInForce } from "../../plan/plan-in-force.ts";
import { listKnownProjects } from "../../workspace/known-projects.ts";
import { findGlobal } from "../../workspace/locate-project.ts";
import { lookAtProject, openProject } from "../../workspace/open-project.ts";
import { checkLog, type LogCheck } from "../diagnose/check-log.ts";
import { parseSince } from "../diagnose/log.ts";
import { readStatus, type Status } from "../diagnose/status.ts";
import { type Tallied, Tally } from "./tally.ts";

export interface ReportRequest {
  /** A moment, or how long ago. */
  since: string;
  /** A folder; absent: the project of the current one. */
  project?: string | undefined;
  isEverywhere: boolean;
}

/** Calls that, according to the agents' own records, ran without any hook seeing them. */
export interface UnseenCalls {
  count: number;
  calls: LogCheck["unseen"];
}

/** Everything that a person needs to judge a machine's guards, and to decide what to do. */
export interface Report extends Tallied {
  madeAt: string;
  since: string;
  /** The projects that were looked at, with their guards. */
  projects: Status[];
  /** Projects that could not be looked at, and why. */
  left: { project: string; why: string }[];
  unseen: UnseenCalls;
  /** Guards in force that neither denied nor asked. `asked` says how many calls they were asked about. */
  silent: { policy: string; asked: number }[];
}

/** Where the page is unless a person names another place. */
export function reportFile({ drwnHome }: Host): string {
  return layout.report(drwnHome);
}

const MOST_UNSEEN = 50;

/** What the guards of a project, or of all projects, did since then. */
export async function makeReport(host: Host, { since, project, isEverywhere }: ReportRequest): Promise<Report> {
  const from = parseSince(host.now(), since);
  const tally = new Tally(from);
  const report = {
    projects: [] as Status[],
    left: [] as Report["left"],
    unseen: { count: 0, calls: [] } as UnseenCalls,
  };
  const inForce: string[] = [];
  for (const place of placesOf(host, project, isEverywhere)) {
    host.progress(`reading the journal of ${place.cwd}`);
    try {
      const read: JournalRead = { tally, since: from };
      try {
        const { key, ledger } = openProject(place);
        report.unseen = joinUnseen(report.unseen, await findUnseen(place, { since, key, read }));
        const plan = ledger?.plan == null ? undefined : readPlanInForce(place.drwnHome, key, ledger.plan);
        inForce.push(...(plan?.policies ?? []).map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`));
      } finally {
        // A project that cannot be opened still has a state.
        const project = lookAtProject(place);
        report.projects.push(readStatus(place, { project, guarding: readGuarding(place, project, read.overruled) }));
      }
    } catch (error) {
      if (!isEverywhere || !isProblem(error)) throw error;
      report.left.push({ project: place.cwd, why: error.message });
    }
  }
  const tallied = tally.result();
  const silent = silentGuards(inForce, tallied);
  return { madeAt: host.now().toISOString(), since: from.toISOString(), ...report, ...tallied, silent };
}

/** A host for each place that the report looks at. */
function placesOf(host: Host, project: string | undefined, isEverywhere: boolean): Host[] {
  if (!isEverywhere) return [project === undefined ? host : { ...host, cwd: path.resolve(host.cwd, project) }];
  const { scope: _, ...own } = host;
  const projects = listKnownProjects(host.drwnHome).flatMap(({ present: [folder] }) =>
    folder === undefined || folder === path.join(host.drwnHome, "global") ? [] : [{ ...own, cwd: folder }],
  );
  return [...projects, findGlobal(own) ?? []].flat();
}

interface JournalRead {
  tally: Tally;
  since: Date;
  /** Absent: the journal has not been read to its end. */
  overruled?: JournalLine[];
}

/** Reads the journal once: compares the transcripts with all of it, and keeps the overruled calls for the state of the guards. */
async function findUnseen(
  host: Host,
  { since, key, read }: { since: string; key: string; read: JournalRead },
): Promise<UnseenCalls> {
  const hear = (sessions: ReadonlySet<string>): HeardCalls => {
    const heard = new HeardCalls(sessions);
    const overruled: JournalLine[] = [];
    for (const line of eachCall({ home: host.drwnHome, key }, {})) {
      read.tally.add(line);
      heard.add(line);
      if (line.overruled !== undefined) overruled.push(line);
    }
    read.overruled = overruled;
    return heard;
  };
  if (host.scope === "global") {
    // What holds in every folder has no transcripts of its own.
    hear(new Set());
    return { count: 0, calls: [] };
  }
  const { counts, unseen } = await checkLog(host, { since, hear });
  return { count: counts.unseen, calls: unseen };
}

function joinUnseen(one: UnseenCalls, other: UnseenCalls): UnseenCalls {
  return { count: one.count + other.count, calls: [...one.calls, ...other.calls].slice(0, MOST_UNSEEN) };
}

function silentGuards(inForce: readonly string[], { figures }: Tallied): Report["silent"] {
  const counted = new Map(figures.policies.map((one) => [one.policy, one]));
  return [...new Set(inForce)].sort().flatMap((policy) => {
    const { asked = 0, denies = 0, asks = 0, kind = "enforcement" } = counted.get(policy) ?? {};
    return kind === "observer" || denies + asks > 0 ? [] : [{ policy, asked }];
  });
}
