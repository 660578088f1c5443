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

/** What is looked for in files of a journal. */
export interface PartRequest {
  files: readonly string[];
  since: Date;
  /** What agents wrote down, to be held against the journal. */
  sessions: ReadonlySet<string>;
}

/** What was found in them: data alone, which another thread can be given. */
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

/** Of a smaller journal, another thread would be there no sooner. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** Reads a journal once, for all that a report says of it: a large one in two halves, each in a thread. */
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

/** What the other thread does. */
export function countPart({ files, since, sessions }: PartRequest): CountedPart {
  const counts = { tally: new Tally(since), heard: new HeardCalls(sessions), overruled: [] };
  countFiles(files, counts);
  return { tally: counts.tally.state, heard: counts.heard.state, overruled: counts.overruled };
}

/** The later files begin in the middle of the bytes; there are none if one thread is enough. */
function halve(files: readonly string[], worthAThread: number): [readonly string[], readonly string[]] {
  const sizes = files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all < worthAThread || availableParallelism() < 2) return [files, []];
  let at = 0;
  for (let sum = 0; sum < all / 2; at++) sum += sizes[at] ?? 0;
  return [files.slice(0, at), files.slice(at)];
}

/** Null: it came to nothing, whyever. */
function countElsewhere(request: PartRequest): Promise<CountedPart | null> {
  const worker = new Worker(packageFile("dist/operations/report/part.cjs"), { workerData: request });
  return new Promise((resolve) => {
    worker.once("message", resolve);
    worker.once("error", () => resolve(null));
    worker.once("exit", () => resolve(null));
  });
}
