import type { HearGap, TranscriptGap, TranscriptReader } from "../../agents/transcript/call.ts";
import { TRANSCRIPTS } from "../../agents/transcripts.ts";
import { compileMatcher } from "../../card/matcher.ts";
import { type HeardCalls, readHeard, wholeSince } from "../../journal/heard-calls.ts";
import type { ProjectJournal } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import type { Runtime } from "../../policy/event.ts";
import { foldersOf } from "../../project/worktrees.ts";
import { approvedHooks } from "../../trust/activation.ts";
import { findMarkedKey } from "../../trust/project-key.ts";
import { type OpenProject, openProject } from "../../workspace/open-project.ts";
import { parseSince } from "./log.ts";
import { type PolicyToAsk, type ReadTranscript, type RecordedCall, readSought } from "./sought-calls.ts";

/** A call about which the agent's own transcript contradicts the journal. */
export interface StrayCall {
  agent: Runtime;
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
  agent: Runtime;
  title: string;
  transcripts: number;
  /** The calls that a policy had to be asked about. */
  calls: number;
}

/** A part of a transcript that was not understood, and how many lines of its file are like it. */
export interface CheckedGap extends TranscriptGap {
  agent: Runtime;
  count: number;
}

export interface LogCheck {
  project: string;
  /** Somebody consented to policies that are asked before calls. */
  isGuarded: boolean;
  /** Denied calls that ran all the same. */
  overruled: StrayCall[];
  /** Calls that ran without any hook seeing them. */
  unseen: StrayCall[];
  /** Sessions in which the hook saw no call, though it had to see some. */
  sessions: { agent: Runtime; session: string; calls: number }[];
  counts: { overruled: number; unseen: number; sessions: number };
  agents: CheckedAgent[];
  gaps: CheckedGap[];
  found: boolean;
}

/** How many of a kind are named; all are counted. */
const MOST_NAMED = 1_000;
const HEARD = -1;
/** A call without a result that is younger than this may be waiting for the hook. */
const UNDER_WAY_MS = 10 * 60 * 1000;

export interface LogCheckRequest {
  since?: string | undefined;
  /** Finds the journal's calls of these sessions, if the caller reads the journal anyway; absent: this reads it. */
  hear?: (sessions: ReadonlySet<string>) => HeardCalls;
}

/** Compares the journal with what the agents recorded of their sessions in this project. */
export async function checkLog(host: Host, request: LogCheckRequest): Promise<LogCheck> {
  const project = openProject(host);
  const from = request.since === undefined ? 0 : parseSince(host.now(), request.since).getTime();
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
  const asked = askedPolicies(project);
  check.isGuarded = asked.length > 0;
  const agents = await readAgents(host, { asked, isOurs: placesOf(host, project), from, journal });
  // Reads the transcripts first: of a large journal it then has to remember only their sessions.
  const sought = agents.flatMap(({ transcripts }) => transcripts.flatMap(({ calls }) => calls));
  const sessions = new Set(sought.map(({ session }) => session));
  const heard = request.hear === undefined ? readHeard(journal, sessions) : request.hear(sessions);
  for (const agent of agents) checkAgent(host, { check, heard, agent });
  check.found = check.counts.overruled + check.counts.unseen > 0;
  return check;
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
  from: number;
  journal: ProjectJournal;
}

async function readAgents(host: Host, { asked, isOurs, from, journal }: AgentsRequest): Promise<ReadAgent[]> {
  const beginning = wholeSince(journal);
  const agents: ReadAgent[] = [];
  for (const reader of TRANSCRIPTS) {
    const own = asked.filter(({ runtimes }) => runtimes === null || runtimes.includes(reader.runtime));
    const since = Math.max(from, beginning, Math.min(...own.map((policy) => policy.since)));
    const gaps = new Map<string, CheckedGap>();
    const seeking = { reader, asked: own, isOurs, since };
    const transcripts = own.length === 0 ? [] : await readSought(host, seeking, collector(reader, gaps));
    agents.push({ reader, since, transcripts, gaps: gaps.values() });
  }
  return agents;
}

function askedPolicies({ ledger }: OpenProject): PolicyToAsk[] {
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

/** Whether this project's consents apply to a session started in the folder: those of the nearest project do. */
function placesOf(host: Host, { key, identity, root }: OpenProject): (folder: string) => boolean {
  const folders = [root, ...foldersOf(identity)];
  const known = new Map<string, boolean>();
  const find = (folder: string): boolean => {
    const marked = findMarkedKey(host.drwnHome, folder);
    if (marked !== undefined) return marked === key;
    return folders.some((one) => folder === one || folder.startsWith(`${one}/`));
  };
  return (folder) => {
    const answer = known.get(folder) ?? find(folder);
    known.set(folder, answer);
    return answer;
  };
}

interface AgentCheck {
  check: LogCheck;
  heard: HeardCalls;
  agent: ReadAgent;
}

function checkAgent(host: Host, { check, heard, agent }: AgentCheck): void {
  const { reader, transcripts, gaps } = agent;
  const { runtime, title } = reader;
  const since = Math.max(agent.since, heard.since(runtime));
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
      const isStray = judge(host, { check, heard }, call);
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

function collector({ runtime }: TranscriptReader, gaps: Map<string, CheckedGap>): HearGap {
  return (gap) => {
    const same = gaps.get(`${gap.file} ${gap.what}`);
    if (same !== undefined) same.count += 1;
    else if (gaps.size < MOST_NAMED) gaps.set(`${gap.file} ${gap.what}`, { ...gap, agent: runtime, count: 1 });
  };
}

/** True if the hook never saw it. */
function judge(host: Host, { check, heard }: Omit<AgentCheck, "agent">, call: RecordedCall): boolean {
  const { agent, session, call: id, at, ownTool: tool, subagent, outcome, ran } = call;
  const answer = heard.take(call);
  const stray = { agent, session, id, at: at.toISOString(), tool, subagent };
  if (answer === undefined) {
    const isUnderWay = outcome === "unknown" && host.now().getTime() - at.getTime() < UNDER_WAY_MS;
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
