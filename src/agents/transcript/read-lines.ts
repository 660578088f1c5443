import fs from "node:fs";
import { openRegular } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "./transcript.ts";

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

/** Agents keep pictures in their transcripts, as text. */
const LONGEST_LINE = 32 * 1024 * 1024;
/**
 * The most values in one line: an empty object is three characters of text, and takes a hundred times that in memory.
 */
const MOST_VALUES = 1_000_000;
const PIECE = 256 * 1024;
const LINE_BREAK = 0x0a;
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

interface JsonLine {
  /** Counted from 1. */
  number: number;
  value: unknown;
  /** The length of its text. */
  length: number;
}

/**
 * The lines of JSON that a file has when it is opened, one at a time, without what is written to it meanwhile. A last
 * line without a line break is still being written, unless it is whole. With `lastBytes` only the first line, which may
 * say whose session this is, and the whole lines among so many bytes at the end; it then counts only those.
 */
export function* readJsonLines(
  file: string,
  reportGap: ReportGap,
  lastBytes = Number.POSITIVE_INFINITY,
): Generator<JsonLine> {
  const lines = new TextLines();
  for (const piece of readPieces(file, lastBytes))
    for (const line of lines.add(piece)) yield* readLine(file, line, reportGap);
  for (const line of lines.end()) yield* readLine(file, line, reportGap);
}

function* readLine(file: string, { number, text, isEnded }: TextLine, reportGap: ReportGap): Generator<JsonLine> {
  const tell = (what: string): void => reportGap({ file, line: number, what });
  if (text === null) return tell(`is longer than ${LONGEST_LINE} bytes`);
  if (text.trim() === "") return;
  if (hasManyValues(text)) return tell(`has more than ${MOST_VALUES} values`);
  const value = parseOrNothing(text);
  if (value !== undefined) yield { number, value, length: text.length };
  else if (isEnded) tell("isn't JSON");
}

function hasManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false;
  let count = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const one = text.charCodeAt(at);
    if (one === QUOTE) isText = !isText;
    else if (isText && one === BACKSLASH) at += 1;
    else if (!isText && (one === COMMA || one === BRACKET || one === BRACE)) count += 1;
  }
  return count > MOST_VALUES;
}

/** Undefined, which isn't a JSON value, if the text isn't JSON. */
function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface TextLine {
  number: number;
  /** Null: it is too long. */
  text: string | null;
  isEnded: boolean;
}

/** Cuts a file into lines, and only counts the empty ones. */
class TextLines {
  #number = 1;
  #held = new HeldLine();

  *add(piece: Buffer): Generator<TextLine> {
    let start = 0;
    for (let end = piece.indexOf(LINE_BREAK); end >= 0; end = piece.indexOf(LINE_BREAK, start)) {
      if (end > start) this.#held.add(piece.subarray(start, end));
      yield* this.#take(true);
      this.#number += 1;
      start = end + 1;
    }
    this.#held.add(piece.subarray(start));
  }

  end(): Generator<TextLine> {
    return this.#take(false);
  }

  *#take(isEnded: boolean): Generator<TextLine> {
    if (this.#held.length === 0) return;
    yield { number: this.#number, text: this.#held.text(), isEnded };
    this.#held = new HeldLine();
  }
}

class HeldLine {
  #pieces: Buffer[] = [];
  length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > LONGEST_LINE) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  text(): string | null {
    return this.length > LONGEST_LINE ? null : Buffer.concat(this.#pieces).toString("utf8");
  }
}

/** Agents leave thousands of small files: a stream for each would cost more than the reading. */
function* readPieces(file: string, lastBytes: number): Generator<Buffer> {
  const fd = openRegular(file);
  if (fd === undefined) return;
  try {
    const { size } = fs.fstatSync(fd);
    if (size <= lastBytes) return yield* readRange(fd, 0, size);
    const begin = Buffer.alloc(Math.min(size, PIECE));
    const first = begin.subarray(0, fs.readSync(fd, begin, 0, begin.length, 0));
    const second = first.indexOf(LINE_BREAK) + 1;
    yield first.subarray(0, second);
    if (size - lastBytes < second) return yield* readRange(fd, second, size);
    let isWhole = false;
    for (const piece of readRange(fd, size - lastBytes, size)) {
      const rest: Buffer = isWhole ? piece : piece.subarray(piece.indexOf(LINE_BREAK) + 1);
      isWhole ||= rest.length < piece.length;
      if (isWhole) yield rest;
    }
  } finally {
    fs.closeSync(fd);
  }
}

function* readRange(fd: number, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; ) {
    const piece = Buffer.allocUnsafe(Math.min(to - at, PIECE));
    const count = fs.readSync(fd, piece, 0, piece.length, at);
    if (count === 0) return;
    at += count;
    yield piece.subarray(0, count);
  }
}

interface BegunCall {
  call: Omit<TranscriptCall, "outcome" | "until">;
  /** The length of the line that holds the call. */
  length: number;
}

/** More calls than any agent has in progress at once. */
const MOST = 500;
const LARGEST = 64 * 1024 * 1024;

/**
 * The calls whose result hasn't been read yet. Two may have the same id; the first result is then that of the first
 * call.
 */
export class PendingCalls {
  #calls = new Map<string, BegunCall[]>();
  #count = 0;
  #length = 0;

  /** Gives back the oldest calls if too many wait: nobody will know their results. */
  *add(begun: BegunCall): Generator<TranscriptCall> {
    const same = this.#calls.get(begun.call.id);
    if (same === undefined) this.#calls.set(begun.call.id, [begun]);
    else same.push(begun);
    this.#count += 1;
    this.#length += begun.length;
    for (const oldest of this.#calls.keys()) {
      if (this.#count <= MOST && this.#length <= LARGEST) return;
      yield* this.settle(oldest, "unknown");
    }
  }

  *settle(id: string, outcome: CallOutcome, until?: Date): Generator<TranscriptCall> {
    const [begun, ...others] = this.#calls.get(id) ?? [];
    if (begun === undefined) return;
    if (others.length === 0) this.#calls.delete(id);
    else this.#calls.set(id, others);
    this.#count -= 1;
    this.#length -= begun.length;
    yield { ...begun.call, outcome, ...(until === undefined ? {} : { until }) };
  }

  /** The calls without a result when the file ends. */
  *rest(outcomeOf: (id: string) => CallOutcome = () => "unknown"): Generator<TranscriptCall> {
    for (const [id, calls] of this.#calls) for (const { call } of calls) yield { ...call, outcome: outcomeOf(id) };
  }
}

/** A name, an id or a path. */
export const shortText = z.string().max(4096);
export const timestampText = shortText
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()));

/**
 * The beginning of a text that may be too long to read. It is a copy, since a part of a string keeps all of it in
 * memory.
 */
export function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, 100)).toString();
}

/** Deeper than any tool's input, but not too deep to walk through. */
const DEEPEST = 64;

export const calledInput = z.record(z.string(), z.unknown()).refine((input) => isShallow(input, DEEPEST));

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}
