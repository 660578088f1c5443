import type * as z from "../../format/zod.ts";
import type { ReportGap, TranscriptCall } from "./call.ts";
import { readJsonLines } from "./lines.ts";

export type ReportLine = (what: string) => void;

/** A file of one session, whose first line says whose it is and how the other lines are written. */
interface SessionFormat<Line extends object, Reading> {
  line: z.ZodType<Line>;
  /** What to report about a line of another shape. */
  stray: string;
  /** Undefined: the line doesn't say whose calls these are, or how they are written. `begin` has reported why. */
  begin: (first: Line, tell: ReportLine) => Reading | undefined;
  read: (reading: Reading, line: Line & { length: number }, tell: ReportLine) => Iterable<TranscriptCall>;
  lastBytes: number | undefined;
  /** The calls without a result. */
  rest: (reading: Reading) => Iterable<TranscriptCall>;
}

export async function* readSessionFile<Line extends object, Reading>(
  file: string,
  reportGap: ReportGap,
  { line, stray, begin, read, rest, lastBytes }: SessionFormat<Line, Reading>,
): AsyncGenerator<TranscriptCall> {
  let reading: Reading | undefined;
  for (const { number, value, length } of readJsonLines(file, reportGap, lastBytes)) {
    const tell: ReportLine = (what) => reportGap({ file, line: number, what });
    const one = line.safeParse(value).data;
    if (one === undefined) tell(stray);
    else if (reading !== undefined) yield* read(reading, { ...one, length }, tell);
    else {
      reading = begin(one, tell);
      if (reading === undefined) return;
    }
  }
  if (reading !== undefined) yield* rest(reading);
}
