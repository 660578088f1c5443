import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { TranscriptCall, TranscriptFile, TranscriptReader } from "../agents/transcript/call.ts";
import { TRANSCRIPTS } from "../agents/transcripts.ts";
import type { Host } from "../kernel/host.ts";
import { sortedBy } from "../kernel/order.ts";
import type { AgentId } from "../policy/event.ts";
import { journaledCalls } from "./journaled-calls.ts";

export interface PastCallsRequest {
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
  return TRANSCRIPTS.map(({ runtime }) => runtime);
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
  const readers = TRANSCRIPTS.filter(({ runtime }) => agent === undefined || runtime === agent);
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
