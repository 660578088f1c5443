import fs from "node:fs";
import { callNames, transcriptReaders } from "../../agents/targets.ts";
import type {
  ReportGap,
  TranscriptCall,
  TranscriptFile,
  TranscriptGap,
  TranscriptReader,
} from "../../agents/transcript/transcript.ts";
import { compileMatcher } from "../../card/matcher.ts";
import {
  type CallToMatch,
  type JournalIndex,
  readJournalIndex,
  readRecentJournalIndex,
  wholeSince,
} from "../../journal/journal-index.ts";
import type { ProjectJournal } from "../../journal/select.ts";
import { openRegular } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { AgentId } from "../../policy/event.ts";
import { worktreeFoldersOf } from "../../project/identity.ts";
import { type OpenProject, openProject } from "../../project/open/open-project.ts";
import { approvedHooks } from "../../trust/activation.ts";
import { findMarkedKey } from "../../trust/project-key.ts";
import { parseSince } from "./log.ts";

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
interface CheckedAgent {
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
const SEEN = -1;
const UNDER_WAY_MS = 10 * 60 * 1000;

interface LogCheckRequest {
  since?: string | undefined;
  /** Absent: that of the current folder. */
  project?: OpenProject;
  /** Looks only at the end of the newest sessions and of the journal. Absent: at everything. */
  lately?: Lately;
  /** Finds the journal's calls of these sessions, if the caller reads the journal anyway; absent: this reads it. */
  readJournal?: (sessions: ReadonlySet<string>) => JournalIndex;
}

interface Lately {
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
  const recorded = agents.flatMap(({ transcripts }) => transcripts.flatMap(({ calls }) => calls));
  const sessions = new Set(recorded.map(({ session }) => session));
  const { index, since } = readJournalIndexOf(journal, sessions, request);
  // Where only the end is read, the result of a call may be missing.
  const patience = lately === undefined ? UNDER_WAY_MS : Number.POSITIVE_INFINITY;
  for (const agent of agents)
    checkAgent(host, { check, index, patience, agent: { ...agent, since: Math.max(since, agent.since) } });
  check.found = check.counts.overruled + check.counts.unseen > 0;
  return check;
}

function readJournalIndexOf(
  journal: ProjectJournal,
  sessions: ReadonlySet<string>,
  { readJournal, lately }: LogCheckRequest,
): { index: JournalIndex; since: number } {
  if (lately !== undefined) return readRecentJournalIndex(journal, sessions, lately.lastBytes);
  return { index: readJournal === undefined ? readJournalIndex(journal, sessions) : readJournal(sessions), since: 0 };
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
  const looked = transcriptReaders().map((reader) => {
    const own = asked.filter(({ runtimes }) => runtimes === null || runtimes.includes(reader.runtime));
    const since = Math.max(from, beginning, Math.min(...own.map((policy) => policy.since)));
    const gaps = new Map<string, CheckedGap>();
    const reportGap = collector(reader, gaps);
    const files = own.length === 0 ? [] : reader.files(host, reportGap);
    return { reader, own, since, gaps, reportGap, files };
  });
  const agents: ReadAgent[] = [];
  const newest = lately && findNewest(looked, folders, lately);
  for (const { reader, own, since, gaps, reportGap, files } of looked) {
    const chosen = newest?.get(files) ?? files;
    const seeking = { reader, files: chosen, lastBytes: lately?.lastBytes, asked: own, isOurs, since };
    agents.push({ reader, since, transcripts: await readTranscriptCalls(seeking, reportGap), gaps: gaps.values() });
  }
  return agents;
}

interface AgentCheck {
  check: LogCheck;
  index: JournalIndex;
  /** In milliseconds: a call without a result that is younger may be waiting for the hook. */
  patience: number;
  agent: ReadAgent;
}

function checkAgent(host: Host, { check, index, patience, agent }: AgentCheck): void {
  const { reader, transcripts, gaps } = agent;
  const { runtime, title } = reader;
  const since = Math.max(agent.since, index.since(runtime));
  const checked: CheckedAgent = { agent: runtime, title, transcripts: 0, calls: 0 };
  check.agents.push(checked);
  // How many of its calls no hook saw; SEEN: it saw one.
  const sessions = new Map<string, number>();
  for (const { changed, calls } of transcripts) {
    if (changed < since) continue;
    checked.transcripts += 1;
    for (const call of calls) {
      if (call.at.getTime() < since) continue;
      checked.calls += 1;
      const unseen = sessions.get(call.session) ?? 0;
      const isStray = judge(host, { check, index, patience }, call);
      if (unseen !== SEEN) sessions.set(call.session, isStray ? unseen + 1 : SEEN);
    }
  }
  check.gaps.push(...gaps);
  for (const [session, calls] of sessions) {
    if (calls === SEEN) continue;
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
function judge(host: Host, { check, index, patience }: Omit<AgentCheck, "agent">, call: RecordedCall): boolean {
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

/** The policies of this project that are asked before calls. */
function policiesToAsk({ ledger }: OpenProject): PolicyToAsk[] {
  return (ledger?.grants ?? []).flatMap(({ revokedAt, runtimes, approved, grantedAt }) => {
    if (revokedAt !== null) return [];
    return approved.flatMap((approval) =>
      approvedHooks(approval).flatMap(({ facts: { phases, matcher } }): PolicyToAsk[] => {
        if (!phases.includes("pre-tool")) return [];
        const since = Math.max(Date.parse(grantedAt), Date.parse(approval.at));
        return [{ runtimes, match: matcher === null ? null : new RegExp(compileMatcher(matcher), "u"), since }];
      }),
    );
  });
}

/** The project's folder, and those of its worktrees; of what holds in every folder, only this one is looked at. */
function foldersOfProject(host: Host, { identity, root, isGlobal }: OpenProject): string[] {
  if (isGlobal) return [host.cwd];
  return [...new Set([root, ...worktreeFoldersOf(identity)])];
}

/** Whether this project's consents apply to a session started in the folder: those of the nearest project do. */
function projectFolderFilter(
  host: Host,
  { key, isGlobal }: OpenProject,
  folders: readonly string[],
): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  const find = (folder: string): boolean => {
    const marked = isGlobal ? undefined : findMarkedKey(host.drwnHome, folder);
    if (marked !== undefined) return marked === key;
    return folders.some((one) => folder === one || folder.startsWith(`${one}/`));
  };
  return (folder) => {
    const answer = known.get(folder) ?? find(folder);
    known.set(folder, answer);
    return answer;
  };
}

interface Limits {
  sessions: number;
  /** How many of the newest transcripts of this machine are looked at for them. */
  transcripts: number;
}

interface Listed {
  files: Iterable<TranscriptFile>;
  /** In milliseconds. */
  since: number;
}

/** The transcripts of these folders that changed last, by the list that they are from. */
function findNewest(
  lists: readonly Listed[],
  folders: readonly string[],
  { sessions, transcripts }: Limits,
): ReadonlyMap<Iterable<TranscriptFile>, TranscriptFile[]> {
  const recent = lists.flatMap(({ files, since }) =>
    [...files].flatMap((file) => (file.changed.getTime() < since ? [] : [{ files, file }])),
  );
  const chosen = new Map(lists.map(({ files }): [Iterable<TranscriptFile>, TranscriptFile[]] => [files, []]));
  let left = sessions;
  const newest = recent.sort((a, b) => b.file.changed.getTime() - a.file.changed.getTime());
  for (const { files, file } of newest.slice(0, transcripts)) {
    if (left === 0) break;
    if (!mayBeOf(file.file, folders)) continue;
    chosen.get(files)?.push(file);
    left -= 1;
  }
  return chosen;
}

const LOOKED_AT = 32 * 1024;

/**
 * Whether a transcript may be of a session in one of the folders, without reading it: agents name the folder at the
 * beginning and in each line, or beside the sessions. A database holds the sessions of all folders.
 */
function mayBeOf(file: string, folders: readonly string[]): boolean {
  const named = folders.map((folder) => JSON.stringify(folder).slice(1, -1));
  if (file.endsWith(".db")) return true;
  try {
    const fd = openRegular(file);
    if (fd === undefined) return false;
    try {
      const { size } = fs.fstatSync(fd);
      const text = [0, Math.max(0, size - LOOKED_AT)].map((at) => readAt(fd, at)).join("\n");
      return named.some((folder) => text.includes(folder)) || text.includes('"projectHash"');
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // The reader says what is wrong with it.
    return true;
  }
}

function readAt(fd: number, at: number): string {
  const bytes = Buffer.alloc(LOOKED_AT);
  return bytes.toString("utf8", 0, fs.readSync(fd, bytes, 0, bytes.length, at));
}

/** A policy that has to be asked before calls since a person consented to it. */
interface PolicyToAsk {
  runtimes: readonly string[] | null;
  match: RegExp | null;
  since: number;
}

/** A call that a policy had to be asked about, from the agent's own transcript. */
interface RecordedCall extends CallToMatch {
  agent: TranscriptCall["agent"];
  /** The tool as the agent calls it. */
  ownTool: string;
  outcome: TranscriptCall["outcome"];
  subagent: boolean;
}

/** A transcript with those of its calls that have to be in the journal. */
interface ReadTranscript {
  changed: number;
  calls: RecordedCall[];
}

interface TranscriptRequest {
  reader: TranscriptReader;
  files: Iterable<TranscriptFile>;
  /** How much of the end of each file is read; undefined: all of it. */
  lastBytes?: number | undefined;
  /** The policies that this agent's calls have to go to. */
  asked: readonly PolicyToAsk[];
  isOurs: (folder: string) => boolean;
  /** In milliseconds: older calls are skipped. */
  since: number;
}

/** The transcripts of an agent, each read once. Keeps nothing about what their calls did. */
async function readTranscriptCalls(
  { reader, files, lastBytes, asked, isOurs, since }: TranscriptRequest,
  reportGap: ReportGap,
): Promise<ReadTranscript[]> {
  const transcripts: ReadTranscript[] = [];
  for (const { file, changed, bytes } of files) {
    if (changed.getTime() < since) continue;
    const read = async (last: number | undefined): Promise<RecordedCall[]> => {
      const calls: RecordedCall[] = [];
      let found = 0;
      for await (const call of callsOf(reader.calls(file, reportGap, last), file, reportGap)) {
        found += 1;
        if (call.at.getTime() < since || !isOurs(call.startedIn ?? call.folder ?? "/")) continue;
        const names = callNames(call);
        if (isWanted(names, call.at, asked)) calls.push(recordOf(call, names[0] ?? call.tool));
      }
      // What a call returned may be longer than what was read: a picture, or all of a file.
      const longer = last !== undefined && last === lastBytes && bytes > last && found < FEW ? last * LONGER : null;
      return longer === null ? calls : read(longer);
    };
    transcripts.push({ changed: changed.getTime(), calls: await read(lastBytes) });
  }
  return transcripts;
}

/** Where the end of a session holds fewer calls, twice as much of it is read: `status` doesn't wait for more. */
const [FEW, LONGER] = [3, 2];

/** A transcript that cannot be read is a gap, too. */
async function* callsOf(
  calls: AsyncGenerator<TranscriptCall>,
  file: string,
  reportGap: ReportGap,
): AsyncGenerator<TranscriptCall> {
  try {
    yield* calls;
  } catch (error) {
    if (!isProblem(error) && !(error instanceof Error && "code" in error)) throw error;
    reportGap({ file, line: null, what: `cannot be read: ${error.message}` });
  }
}

function isWanted(names: readonly string[], at: Date, asked: readonly PolicyToAsk[]): boolean {
  const time = at.getTime();
  return asked.some((policy) => policy.since <= time && names.some((name) => policy.match?.test(name) ?? true));
}

function recordOf({ agent, session, id, at, until, tool, subagent, outcome }: TranscriptCall, name: string) {
  const ran = outcome === "unknown" ? undefined : outcome !== "refused";
  return { runtime: agent, agent, call: id, session, tool: name, ownTool: tool, at, until, ran, outcome, subagent };
}
