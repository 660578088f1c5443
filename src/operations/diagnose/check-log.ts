import type { ReportGap, TranscriptGap, TranscriptReader } from "../../agents/transcript/call.ts";
import { TRANSCRIPTS } from "../../agents/transcripts.ts";
import {
  type JournalIndex,
  readJournalIndex,
  readRecentJournalIndex,
  wholeSince,
} from "../../journal/journal-index.ts";
import type { ProjectJournal } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import type { AgentId } from "../../policy/event.ts";
import { type OpenProject, openProject } from "../../workspace/open-project.ts";
import { parseSince } from "./log.ts";
import { findNewest } from "./newest-sessions.ts";
import { foldersOfProject, policiesToAsk, projectFolderFilter } from "./policies-to-ask.ts";
import {
  type PolicyToAsk,
  type ReadTranscript,
  type RecordedCall,
  readTranscriptCalls,
} from "./read-transcript-calls.ts";

/** A call about which the agent's own transcript contradicts the journal. */
export interface UnguardedCall {
  agent: AgentId;
  session: string;
  id: string;
  at: string;
  tool: string;
  subagent: boolean;
  /** The line of the journal that denied it; null: the journal doesn't have the call. */
  denied: string | null;
}

/** How much of an agent's transcripts was looked at. */
export interface CheckedAgent {
  agent: AgentId;
  title: string;
  transcripts: number;
  /** The calls that a policy had to be asked about. */
  calls: number;
}

/** A part of a transcript that was not understood, and how many lines of its file are like it. */
export interface CheckedGap extends TranscriptGap {
  agent: AgentId;
  count: number;
}

export interface LogCheck {
  project: string;
  /** Somebody consented to policies that are asked before calls. */
  isGuarded: boolean;
  /** Denied calls that ran all the same. */
  overruled: UnguardedCall[];
  /** Calls that ran without any hook seeing them. */
  unseen: UnguardedCall[];
  /** Sessions in which the hook saw no call, though it had to see some. */
  sessions: { agent: AgentId; session: string; calls: number }[];
  counts: { overruled: number; unseen: number; sessions: number };
  agents: CheckedAgent[];
  gaps: CheckedGap[];
  found: boolean;
}

/** How many of a kind are named; all are counted. */
const MOST_NAMED = 1_000;
const HEARD = -1;
const UNDER_WAY_MS = 10 * 60 * 1000;

export interface LogCheckRequest {
  since?: string | undefined;
  /** Absent: that of the current folder. */
  project?: OpenProject;
  /** Looks only at the end of the newest sessions and of the journal. Absent: at everything. */
  lately?: Lately;
  /** Finds the journal's calls of these sessions, if the caller reads the journal anyway; absent: this reads it. */
  reportGap?: (sessions: ReadonlySet<string>) => JournalIndex;
}

export interface Lately {
  /** Older calls are skipped. */
  since: Date;
  /** How many sessions, of how many of the newest transcripts of this machine, and how much of the end of each file. */
  sessions: number;
  transcripts: number;
  lastBytes: number;
}

/** Compares the journal with what the agents recorded of their sessions in this project. */
export async function checkLog(host: Host, request: LogCheckRequest): Promise<LogCheck> {
  const project = request.project ?? openProject(host);
  const { lately } = request;
  const asOf = request.since === undefined ? lately?.since : parseSince(host.now(), request.since);
  const from = asOf?.getTime() ?? 0;
  const check: LogCheck = {
    project: project.root,
    isGuarded: false,
    overruled: [],
    unseen: [],
    sessions: [],
    counts: { overruled: 0, unseen: 0, sessions: 0 },
    agents: [],
    gaps: [],
    found: false,
  };
  const journal = { home: host.drwnHome, key: project.key };
  const asked = policiesToAsk(project);
  check.isGuarded = asked.length > 0;
  const folders = foldersOfProject(host, project);
  const isOurs = projectFolderFilter(host, project, folders);
  const agents = await readAgents(host, { asked, isOurs, folders, from, journal, lately });
  // Reads the transcripts first: of a large journal it then has to remember only their sessions.
  const sought = agents.flatMap(({ transcripts }) => transcripts.flatMap(({ calls }) => calls));
  const sessions = new Set(sought.map(({ session }) => session));
  const { heard: index, since } = hearSessions(journal, sessions, request);
  // Where only the end is read, the result of a call may be missing.
  const patience = lately === undefined ? UNDER_WAY_MS : Number.POSITIVE_INFINITY;
  for (const agent of agents)
    checkAgent(host, { check, heard: index, patience, agent: { ...agent, since: Math.max(since, agent.since) } });
  check.found = check.counts.overruled + check.counts.unseen > 0;
  return check;
}

function hearSessions(
  journal: ProjectJournal,
  sessions: ReadonlySet<string>,
  { reportGap, lately }: LogCheckRequest,
): { heard: JournalIndex; since: number } {
  if (lately !== undefined) return readRecentJournalIndex(journal, sessions, lately.lastBytes);
  return { heard: reportGap === undefined ? readJournalIndex(journal, sessions) : reportGap(sessions), since: 0 };
}

/** The part of an agent's transcripts that this project's policies had to see. */
interface ReadAgent {
  reader: TranscriptReader;
  /** In milliseconds: the time from which the journal had to have its calls. */
  since: number;
  transcripts: ReadTranscript[];
  gaps: Iterable<CheckedGap>;
}

interface AgentsRequest {
  asked: readonly PolicyToAsk[];
  isOurs: (folder: string) => boolean;
  folders: readonly string[];
  from: number;
  journal: ProjectJournal;
  lately: Lately | undefined;
}

async function readAgents(host: Host, request: AgentsRequest): Promise<ReadAgent[]> {
  const { asked, isOurs, folders, from, journal, lately } = request;
  const beginning = lately === undefined ? wholeSince(journal) : 0;
  const looked = TRANSCRIPTS.map((reader) => {
    const own = asked.filter(({ runtimes }) => runtimes === null || runtimes.includes(reader.runtime));
    const since = Math.max(from, beginning, Math.min(...own.map((policy) => policy.since)));
    const gaps = new Map<string, CheckedGap>();
    const reportGap = collector(reader, gaps);
    const files = own.length === 0 ? [] : reader.files(host, reportGap);
    return { reader, own, since, gaps, hear: reportGap, files };
  });
  const agents: ReadAgent[] = [];
  const newest = lately && findNewest(looked, folders, lately);
  for (const { reader, own, since, gaps, hear: reportGap, files } of looked) {
    const chosen = newest?.get(files) ?? files;
    const seeking = { reader, files: chosen, lastBytes: lately?.lastBytes, asked: own, isOurs, since };
    agents.push({ reader, since, transcripts: await readTranscriptCalls(seeking, reportGap), gaps: gaps.values() });
  }
  return agents;
}

interface AgentCheck {
  check: LogCheck;
  heard: JournalIndex;
  /** In milliseconds: a call without a result that is younger may be waiting for the hook. */
  patience: number;
  agent: ReadAgent;
}

function checkAgent(host: Host, { check, heard: index, patience, agent }: AgentCheck): void {
  const { reader, transcripts, gaps } = agent;
  const { runtime, title } = reader;
  const since = Math.max(agent.since, index.since(runtime));
  const checked: CheckedAgent = { agent: runtime, title, transcripts: 0, calls: 0 };
  check.agents.push(checked);
  // How many of its calls no hook saw; HEARD: it saw one.
  const sessions = new Map<string, number>();
  for (const { changed, calls } of transcripts) {
    if (changed < since) continue;
    checked.transcripts += 1;
    for (const call of calls) {
      if (call.at.getTime() < since) continue;
      checked.calls += 1;
      const unseen = sessions.get(call.session) ?? 0;
      const isStray = judge(host, { check, heard: index, patience }, call);
      if (unseen !== HEARD) sessions.set(call.session, isStray ? unseen + 1 : HEARD);
    }
  }
  check.gaps.push(...gaps);
  for (const [session, calls] of sessions) {
    if (calls === HEARD) continue;
    check.counts.sessions += 1;
    if (check.sessions.length < MOST_NAMED) check.sessions.push({ agent: runtime, session, calls });
  }
}

function collector({ runtime }: TranscriptReader, gaps: Map<string, CheckedGap>): ReportGap {
  return (gap) => {
    const same = gaps.get(`${gap.file} ${gap.what}`);
    if (same !== undefined) same.count += 1;
    else if (gaps.size < MOST_NAMED) gaps.set(`${gap.file} ${gap.what}`, { ...gap, agent: runtime, count: 1 });
  };
}

/** True if the hook never saw it. */
function judge(host: Host, { check, heard: index, patience }: Omit<AgentCheck, "agent">, call: RecordedCall): boolean {
  const { agent, session, call: id, at, ownTool: tool, subagent, outcome, ran } = call;
  const answer = index.take(call);
  const stray = { agent, session, id, at: at.toISOString(), tool, subagent };
  if (answer === undefined) {
    const isUnderWay = outcome === "unknown" && host.now().getTime() - at.getTime() < patience;
    if (outcome === "refused" || isUnderWay) return false;
    check.counts.unseen += 1;
    if (check.unseen.length < MOST_NAMED) check.unseen.push({ ...stray, denied: null });
    return true;
  }
  if (answer !== "copied" && answer.isDenied && ran === true) {
    check.counts.overruled += 1;
    if (check.overruled.length < MOST_NAMED) check.overruled.push({ ...stray, denied: answer.id });
  }
  return false;
}
