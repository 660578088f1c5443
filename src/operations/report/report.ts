import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { JournalIndex } from "../../journal/journal-index.ts";
import { cardOf } from "../../journal/segments.ts";
import { eachCall } from "../../journal/select.ts";
import { readFormat } from "../../kernel/format/read.ts";
import { lazily } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { listKnownProjects } from "../../project/open/known-projects.ts";
import { findGlobal } from "../../project/open/locate-project.ts";
import { openProject } from "../../project/open/open-project.ts";
import { readPlanInForce } from "../../write/plan/plan-in-force.ts";
import { checkLog, type UnguardedCall } from "../diagnose/compare-transcripts.ts";
import { parseSince } from "../diagnose/log.ts";
import { readStatus, type Status } from "../diagnose/status.ts";
import { Tally, type TallyResult } from "./tally.ts";

interface ReportRequest {
  /** A time, or how long ago. */
  since: string;
  /** A folder; absent: the project of the current one. */
  project?: string | undefined;
  isEverywhere: boolean;
}

/** Calls that, according to the agents' own records, ran against the guards. */
export interface StrayCalls {
  count: number;
  calls: UnguardedCall[];
}

/** Everything that a person needs to judge a machine's guards, and to decide what to do. */
export interface Report extends TallyResult {
  madeAt: string;
  since: string;
  /** The projects that were looked at, with their guards. */
  projects: Status[];
  /** Projects that could not be looked at, and why. */
  left: { project: string; why: string }[];
  /** They ran though the hook denied them. */
  overruled: StrayCalls;
  /** No hook saw them. */
  unseen: StrayCalls;
  /** Guards in force that neither denied nor asked. `asked` says how many calls they were asked about. */
  silent: { policy: string; asked: number }[];
}

/** Where the page is unless a person names another place. */
export function reportFile({ drwnHome }: Host): string {
  return layout.report(drwnHome);
}

const MOST_STRAY = 50;

/** What the guards of a project, or of all projects, did since then. */
export async function makeReport(host: Host, { since, project, isEverywhere }: ReportRequest): Promise<Report> {
  const from = parseSince(host.now(), since);
  const tally = new Tally(from);
  const report = {
    projects: [] as Status[],
    left: [] as Report["left"],
    ...NO_STRAYS,
  };
  const inForce: string[] = [];
  for (const place of placesOf(host, project, isEverywhere)) {
    host.progress(`reading the journal of ${place.cwd}`);
    try {
      try {
        const { key, ledger } = openProject(place);
        const { overruled, unseen } = await readCalls(place, { since, key, tally });
        report.overruled = joinStrays(report.overruled, overruled);
        report.unseen = joinStrays(report.unseen, unseen);
        const plan = ledger?.plan == null ? undefined : readPlanInForce(place.drwnHome, key, ledger.plan);
        inForce.push(...(plan?.policies ?? []).map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`));
      } finally {
        // A project that cannot be opened still has a state.
        report.projects.push(readStatus(place));
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

type Strays = Pick<Report, "overruled" | "unseen">;

const NO_STRAYS: Strays = { overruled: { count: 0, calls: [] }, unseen: { count: 0, calls: [] } };

/** Reads the journal once: tallies it, and compares the transcripts with all of it. */
async function readCalls(
  host: Host,
  { since, key, tally }: { since: string; key: string; tally: Tally },
): Promise<Strays> {
  const readJournal = (sessions: ReadonlySet<string>): JournalIndex => {
    const index = new JournalIndex(sessions);
    for (const line of eachCall({ home: host.drwnHome, key }, {})) {
      tally.add(line);
      index.add(line);
    }
    return index;
  };
  if (host.scope === "global") {
    // What holds in every folder has no transcripts of its own.
    readJournal(new Set());
    return NO_STRAYS;
  }
  const { counts, overruled, unseen } = await checkLog(host, { since, readJournal });
  return { overruled: { count: counts.overruled, calls: overruled }, unseen: { count: counts.unseen, calls: unseen } };
}

function joinStrays(one: StrayCalls, other: StrayCalls): StrayCalls {
  return { count: one.count + other.count, calls: [...one.calls, ...other.calls].slice(0, MOST_STRAY) };
}

function silentGuards(inForce: readonly string[], { figures }: TallyResult): Report["silent"] {
  const counted = new Map(figures.policies.map((one) => [one.policy, one]));
  return [...new Set(inForce)].sort().flatMap((policy) => {
    const { asked = 0, denies = 0, asks = 0, kind = "enforcement" } = counted.get(policy) ?? {};
    return kind === "observer" || denies + asks > 0 ? [] : [{ policy, asked }];
  });
}

const count = z.number().int().min(0);
const rate = z.number().min(0).max(1);
const ruled = { verdict: z.enum(["allow", "ask", "deny", "rewrite"]), by: z.string().nullable(), reason: z.string() };

const replay = lazily(() =>
  z.object({
    calls: count,
    sessions: count,
    agents: z.array(z.string()),
    denied: count,
    deniedThatRan: count,
    asked: count,
    rewritten: count,
    rate,
    rateAtMost: rate,
    policies: z.record(z.string(), z.object({ asked: count, deny: count, ask: count, rewrite: count })),
    left: z.record(z.string(), count),
    found: z.array(
      z.object({
        ...ruled,
        at: z.string(),
        agent: z.string(),
        folder: z.string().nullable(),
        tool: z.string(),
        input: z.string(),
        outcome: z.enum(["ran", "failed", "refused", "unknown"]),
        against: z.object(ruled).nullable(),
      }),
    ),
    isCut: z.boolean(),
    isEnded: z.boolean(),
    hooks: z.array(z.string()),
    against: z.array(z.string()).nullable(),
    notReplayed: z.array(z.object({ hook: z.string(), why: z.string() })),
    since: z.string(),
    project: z.string().nullable(),
  }),
);

/** The part of a replay that a page shows. */
export type ShownReplay = z.infer<ReturnType<typeof replay>>;

/** Reads an answer of `drwn replay --json` from the file in which somebody kept it. */
export function readReplay(host: Host, file: string): ShownReplay {
  return readFormat(path.resolve(host.cwd, file), replay(), { maximumBytes: 64 * 1024 * 1024 });
}

/** What a card in shadow mode would have done to the calls that it looked at. */
export interface ShadowOfCard {
  /** Calls that at least one of its hooks was asked about. */
  calls: number;
  first: string;
  last: string;
  hooks: TallyResult["shadow"];
}

/** Null: the journal has no call that the card saw in shadow mode. */
export function readShadow(host: Host, card: string): ShadowOfCard | null {
  const { key } = openProject(host);
  const tally = new Tally();
  for (const line of eachCall({ home: host.drwnHome, key }, { card })) {
    const policies = line.policies.filter(({ policy, mode }) => cardOf(policy) === card && mode === "shadow");
    if (policies.length > 0) tally.add({ ...line, policies });
  }
  const { figures, shadow } = tally.result();
  const { calls, first, last } = figures;
  return first === null || last === null ? null : { calls, first, last, hooks: shadow };
}
