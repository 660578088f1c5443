import fs from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { HeardCalls, type HeardState } from "../../journal/heard-calls.ts";
import type { JournalLine } from "../../journal/line.ts";
import { LineReader } from "../../journal/line-reader.ts";
import { eachFile, listSegments } from "../../journal/segments.ts";
import type { ProjectJournal } from "../../journal/select.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { Tally, type TallyState } from "./tally.ts";

/** Which files of a journal to read, and what to look for. */
export interface PartRequest {
  files: readonly string[];
  since: Date;
  /** The sessions that agents recorded, to compare with the journal. */
  sessions: ReadonlySet<string>;
}

/** What these files contain: plain data, so that another thread can send it. */
export interface CountedPart {
  tally: TallyState;
  heard: HeardState;
  overruled: JournalLine[];
}

export interface Counts {
  tally: Tally;
  heard: HeardCalls;
  overruled: JournalLine[];
}

/** Bytes. For a smaller journal a second thread saves no time. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** Reads a journal once for everything that a report needs; a large one in two halves, one in a second thread. */
export async function countJournal(
  { home, key }: ProjectJournal,
  { since, counts, sessions }: { since: Date; counts: Counts; sessions: ReadonlySet<string> },
  worthAThread = WORTH_A_THREAD,
): Promise<void> {
  const [own, later] = halve(
    listSegments(home, key).map(({ file }) => file),
    worthAThread,
  );
  const elsewhere = later.length === 0 ? null : countElsewhere({ files: later, since, sessions });
  countFiles(own, counts);
  const part = await elsewhere;
  if (part === null || !counts.tally.join(part.tally)) countFiles(later, counts);
  else {
    counts.heard.join(part.heard);
    for (const line of part.overruled) counts.overruled.push(line);
  }
}

function countFiles(files: readonly string[], { tally, heard, overruled }: Counts): void {
  const reader = new LineReader();
  for (const bytes of eachFile(files)) {
    for (const line of reader.read(bytes)) {
      tally.add(line);
      heard.add(line);
      if (line.overruled !== undefined) overruled.push(line);
    }
  }
}

/** Runs in the second thread. */
export function countPart({ files, since, sessions }: PartRequest): CountedPart {
  const counts = { tally: new Tally(since), heard: new HeardCalls(sessions), overruled: [] };
  countFiles(files, counts);
  return { tally: counts.tally.state, heard: counts.heard.state, overruled: counts.overruled };
}

/** Splits the files where half of the bytes are read; the second half is empty if one thread is enough. */
function halve(files: readonly string[], worthAThread: number): [readonly string[], readonly string[]] {
  const sizes = files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all < worthAThread || availableParallelism() < 2) return [files, []];
  let at = 0;
  for (let sum = 0; sum < all / 2; at++) sum += sizes[at] ?? 0;
  return [files.slice(0, at), files.slice(at)];
}

/** Null if the thread fails for any reason: the caller then reads these files itself. */
function countElsewhere(request: PartRequest): Promise<CountedPart | null> {
  const worker = new Worker(packageFile("dist/operations/report/part.cjs"), { workerData: request });
  return new Promise((resolve) => {
    worker.once("message", resolve);
    worker.once("error", () => resolve(null));
    worker.once("exit", () => resolve(null));
  });
}
