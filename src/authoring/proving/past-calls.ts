import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { transcriptReaders } from "../../agents/targets.ts";
import type { TranscriptCall, TranscriptFile, TranscriptReader } from "../../agents/transcript/transcript.ts";
import { GLOBAL_KEY } from "../../contract/scopes.ts";
import type { JournalLine } from "../../journal/segments.ts";
import { eachCall } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import { sortedBy } from "../../kernel/order.ts";
import { AGENT_IDS, type AgentId } from "../../policy/event.ts";
import { findProjectRoot } from "../../project/identity.ts";
import { listKnownProjects } from "../../project/open/known-projects.ts";
import { locateProject } from "../../project/open/locate-project.ts";

interface PastCallsRequest {
  since: Date;
  agent?: AgentId | undefined;
  /** The project's folder; null: all of them. */
  root: string | null;
  /** Ends it, even within a file. */
  signal?: AbortSignal | undefined;
}

/** Reading files blocks other work, so it pauses this often to notice `signal`. */
const PAUSE_EVERY_MS = 100;

/** The agents whose own records drwn can read. */
export function readableAgents(): AgentId[] {
  return transcriptReaders().map(({ runtime }) => runtime);
}

/**
 * The calls that agents have recorded in their sessions, the sessions that changed last first; then calls whose input
 * drwn's own journal kept. `hear` gets each part that drwn doesn't understand. The calls stay on this machine, and only
 * one at a time is in memory.
 */
export async function* pastCalls(
  host: Host,
  { since, agent, root, signal }: PastCallsRequest,
  hear: (what: string) => void,
): AsyncGenerator<TranscriptCall> {
  const readers = transcriptReaders().filter(({ runtime }) => agent === undefined || runtime === agent);
  const files = readers.flatMap((reader) =>
    [...reader.files(host, ({ what }) => hear(`${reader.title}: ${what}`))].map((file) => ({ reader, file })),
  );
  const recent = files.filter(({ file }) => file.changed >= since);
  const isOwn = root === null ? () => true : insideOf(root);
  for (const { reader, file } of sortedBy(recent, ({ file: { changed } }) => changed.toISOString()).reverse()) {
    await setImmediate();
    let paused = performance.now();
    for await (const call of readFile(reader, file, hear)) {
      if (performance.now() - paused > PAUSE_EVERY_MS) {
        await setImmediate();
        paused = performance.now();
      }
      if (signal?.aborted === true) return;
      if (call.at >= since && isOwn(call)) yield call;
    }
  }
  yield* journaledCalls(host, { since, agent, root, besides: readableAgents() }, hear);
}

/** A file that can't be read any more counts as a part that drwn doesn't understand. */
async function* readFile(
  { calls, title }: TranscriptReader,
  { file }: TranscriptFile,
  hear: (what: string) => void,
): AsyncGenerator<TranscriptCall> {
  try {
    yield* calls(file, ({ what }) => hear(`${title}: ${what}`));
  } catch {
    hear(`${title}: a file that cannot be read`);
  }
}

function insideOf(root: string): (call: TranscriptCall) => boolean {
  const roots = [root, realPath(root)];
  const isInside = (folder: string | undefined) =>
    folder !== undefined && roots.some((one) => folder === one || folder.startsWith(`${one}/`));
  return ({ folder, startedIn }) => isInside(folder) || isInside(startedIn);
}

function realPath(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

interface JournaledRequest {
  since: Date;
  agent?: AgentId | undefined;
  /** A folder; null: all of them. */
  root: string | null;
  /** Agents whose own records have these calls, so that no hook is asked about a call twice. */
  besides: readonly AgentId[];
}

/** Calls with their input from drwn's own journal, of agents whose own records drwn cannot read. */
function* journaledCalls(
  host: Host,
  { since, agent, root, besides }: JournaledRequest,
  hear: (what: string) => void,
): Generator<TranscriptCall> {
  for (const { key, folder } of journalsOf(host, root)) {
    for (const line of eachCall({ home: host.drwnHome, key }, { since, phase: "pre-tool" })) {
      const runtime = AGENT_IDS.find((one) => one === line.runtime);
      if (runtime === undefined || besides.includes(runtime) || (agent !== undefined && runtime !== agent)) continue;
      const input = inputOf(line);
      if (line.tool === null || input === "none") continue;
      if (input === "other") hear("drwn's journal: an input that was cut or redacted");
      else yield { ...toCall(line, runtime), tool: line.tool, input, folder };
    }
  }
}

/** The journal of every known project, or of the one around the folder. */
function journalsOf(host: Host, root: string | null): { key: string; folder: string | undefined }[] {
  if (root === null) {
    const known = listKnownProjects(host.drwnHome).map(({ key, present: [folder] }) => ({ key, folder }));
    return [...known, ...(known.some(({ key }) => key === GLOBAL_KEY) ? [] : [{ key: GLOBAL_KEY, folder: undefined }])];
  }
  if (findProjectRoot(root) === undefined) return [];
  const project = locateProject({ cwd: root, drwnHome: host.drwnHome });
  return [{ key: project.key, folder: project.root }];
}

/** `other`: the journal doesn't have the real input. */
function inputOf({ input }: JournalLine): Record<string, unknown> | "none" | "other" {
  if (input === undefined) return "none";
  if (input.includes(REDACTED)) return "other";
  try {
    const parsed: unknown = JSON.parse(input);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : "other";
  } catch {
    return "other";
  }
}

function toCall(line: JournalLine, agent: AgentId): Omit<TranscriptCall, "tool" | "input"> {
  return {
    agent,
    session: line.session ?? "",
    id: line.call ?? "",
    at: new Date(line.time),
    outcome: line.effective === "deny" ? "refused" : "unknown",
    subagent: false,
  };
}

/** The journal has this in place of a secret. */
const REDACTED = "[redacted]";
