import { namesOfCall } from "../../agents/names-of-call.ts";
import type { HearGap, TranscriptCall, TranscriptGap, TranscriptReader } from "../../agents/transcript/call.ts";
import { TRANSCRIPTS } from "../../agents/transcripts.ts";
import { compileMatcher } from "../../card/matcher.ts";
import { type HeardCalls, readHeard } from "../../journal/heard-calls.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { Runtime } from "../../policy/event.ts";
import { foldersOf } from "../../project/worktrees.ts";
import { approvedHooks } from "../../trust/activation.ts";
import { findMarkedKey } from "../../trust/project-key.ts";
import { type OpenProject, openProject } from "../../workspace/open-project.ts";
import { parseSince } from "./log.ts";

/** A call that is not as the hook has it, by what the agent's own transcript says. */
export interface StrayCall {
  agent: Runtime;
  session: string;
  id: string;
  at: string;
  tool: string;
  subagent: boolean;
  /** The line of the journal by which it was denied; null: the journal has none of it. */
  denied: string | null;
}

/** What of an agent's transcripts was looked at. */
export interface CheckedAgent {
  agent: Runtime;
  title: string;
  transcripts: number;
  /** Those that a policy had to be asked about. */
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
  /** Calls that ran, and that no hook ever saw. */
  unseen: StrayCall[];
  /** Sessions in which no call was ever seen by the hook, though some had to be. */
  sessions: { agent: Runtime; session: string; calls: number }[];
  counts: { overruled: number; unseen: number; sessions: number };
  agents: CheckedAgent[];
  gaps: CheckedGap[];
  found: boolean;
}

/** So many of a kind are named; all are counted. */
const MOST_NAMED = 1_000;
const HEARD = -1;
/** A call whose result is still to come may be waiting for the hook. */
const UNDER_WAY_MS = 10 * 60 * 1000;

export interface LogCheckRequest {
  since?: string | undefined;
  /** The journal, where somebody has read it; absent: it is read. */
  heard?: HeardCalls;
}

/** Holds what the agents wrote down of their sessions in this project against the journal. */
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
  const heard = request.heard ?? readHeard({ home: host.drwnHome, key: project.key });
  const asked = askedPolicies(project);
  check.isGuarded = asked.length > 0;
  const isOurs = placesOf(host, project);
  for (const reader of TRANSCRIPTS) await checkAgent(host, { check, reader, heard, asked, isOurs, from });
  check.found = check.counts.overruled + check.counts.unseen > 0;
  return check;
}

interface AgentCheck {
  check: LogCheck;
  reader: TranscriptReader;
  heard: HeardCalls;
  asked: readonly AskedPolicy[];
  isOurs: (folder: string) => boolean;
  from: number;
}

/** What somebody consented to be asked before calls, from then on. */
interface AskedPolicy {
  runtimes: readonly string[] | null;
  match: RegExp | null;
  since: number;
}

function askedPolicies({ ledger }: OpenProject): AskedPolicy[] {
  return (ledger?.grants ?? []).flatMap(({ revokedAt, runtimes, approved, grantedAt }) => {
    if (revokedAt !== null) return [];
    return approved.flatMap((approval) =>
      approvedHooks(approval).flatMap(({ facts: { phases, matcher } }): AskedPolicy[] => {
        if (!phases.includes("pre-tool")) return [];
        const since = Math.max(Date.parse(grantedAt), Date.parse(approval.at));
        return [{ runtimes, match: matcher === null ? null : new RegExp(compileMatcher(matcher), "u"), since }];
      }),
    );
  });
}

/** Whether a session that was started in the folder is judged by this project's consents: by those of the nearest one. */
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

async function checkAgent(host: Host, work: AgentCheck): Promise<void> {
  const { check, reader, heard, asked } = work;
  const own = asked.filter(({ runtimes }) => runtimes === null || runtimes.includes(reader.runtime));
  const since = Math.max(work.from, heard.since(reader.runtime), Math.min(...own.map((policy) => policy.since)));
  const agent: CheckedAgent = { agent: reader.runtime, title: reader.title, transcripts: 0, calls: 0 };
  check.agents.push(agent);
  if (own.length === 0) return;
  // How many of its calls no hook saw; HEARD: it saw one.
  const sessions = new Map<string, number>();
  const gaps = new Map<string, CheckedGap>();
  const hear = collector(reader, gaps);
  for (const { file, changed } of reader.files(host, hear)) {
    if (changed.getTime() < since) continue;
    agent.transcripts += 1;
    for await (const call of callsOf(reader, file, hear)) {
      if (call.at.getTime() < since || !work.isOurs(call.startedIn ?? call.folder ?? "/")) continue;
      const names = namesOfCall(call);
      if (!isWanted(names, call.at, own)) continue;
      agent.calls += 1;
      const unseen = sessions.get(call.session) ?? 0;
      const isStray = judge(host, work, { ...call, name: names[0] ?? call.tool });
      if (unseen !== HEARD) sessions.set(call.session, isStray ? unseen + 1 : HEARD);
    }
  }
  check.gaps.push(...gaps.values());
  for (const [session, calls] of sessions) {
    if (calls === HEARD) continue;
    check.counts.sessions += 1;
    if (check.sessions.length < MOST_NAMED) check.sessions.push({ agent: reader.runtime, session, calls });
  }
}

function collector({ runtime }: TranscriptReader, gaps: Map<string, CheckedGap>): HearGap {
  return (gap) => {
    const same = gaps.get(`${gap.file} ${gap.what}`);
    if (same !== undefined) same.count += 1;
    else if (gaps.size < MOST_NAMED) gaps.set(`${gap.file} ${gap.what}`, { ...gap, agent: runtime, count: 1 });
  };
}

/** What cannot be read at all is a gap, too. */
async function* callsOf(reader: TranscriptReader, file: string, hear: HearGap): AsyncGenerator<TranscriptCall> {
  try {
    yield* reader.calls(file, hear);
  } catch (error) {
    if (!isProblem(error) && !(error instanceof Error && "code" in error)) throw error;
    hear({ file, line: null, what: `cannot be read: ${error.message}` });
  }
}

function isWanted(names: readonly string[], at: Date, asked: readonly AskedPolicy[]): boolean {
  const time = at.getTime();
  return asked.some((policy) => policy.since <= time && names.some((name) => policy.match?.test(name) ?? true));
}

/** True: the hook never saw it. */
function judge(host: Host, { check, heard }: AgentCheck, call: TranscriptCall & { name: string }): boolean {
  const { agent, session, id, at, until, tool, name, subagent, outcome } = call;
  const ran = outcome === "unknown" ? undefined : outcome !== "refused";
  const answer = heard.take({ runtime: agent, call: id, session, tool: name, at, until, ran });
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
