import { isAscii } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { SEGMENT } from "../contract/journal.ts";
import { layout } from "../contract/layout.ts";
import { listFolder, openRegular, readIfThere } from "../kernel/files.ts";
import * as z from "../kernel/format/zod.ts";

/** One file of a journal. */
export interface Segment {
  file: string;
  /** Counts the files that were put aside, from 1; null: the current file. */
  number: number | null;
}

/** The journal's files, oldest first. The last one may not exist yet. */
export function listSegments(home: string, key: string): Segment[] {
  const folder = layout.project(home, key);
  const aside = listFolder(folder)
    .filter((name) => SEGMENT.test(name))
    .sort()
    .map((name) => ({ file: path.join(folder, name), number: Number(SEGMENT.exec(name)?.[1]) }));
  return [...aside, { file: layout.journal(home, key), number: null }];
}

/** Empty if the file doesn't exist: the hook may put it aside at any moment. */
export function readSegment(file: string): Buffer {
  return readIfThere(file) ?? Buffer.alloc(0);
}

/** The whole lines among the last bytes of a segment, and whether that is all of it. */
export function readEnd(file: string, lastBytes: number): { bytes: Buffer; isAll: boolean } {
  const fd = openRegular(file);
  if (fd === undefined) return { bytes: Buffer.alloc(0), isAll: true };
  try {
    const { size } = fs.fstatSync(fd);
    const bytes = Buffer.alloc(Math.max(0, Math.min(size, lastBytes)));
    const read = bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length));
    if (size <= lastBytes) return { bytes: read, isAll: true };
    const start = read.indexOf(0x0a) + 1;
    return { bytes: start === 0 ? Buffer.alloc(0) : read.subarray(start), isAll: false };
  } finally {
    fs.closeSync(fd);
  }
}

/** One line that is not blank, with its place in the file. */
export interface SegmentLine {
  text: string;
  /** From 1. */
  number: number;
  start: number;
  /** After its line break. */
  end: number;
}

/** Leaves out a last line without a line break, which may be incomplete. */
export function splitLines(bytes: Buffer): SegmentLine[] {
  // ASCII text is the same in both encodings, and Node decodes Latin-1 faster.
  const encoding = isAscii(bytes) ? "latin1" : "utf8";
  const lines: SegmentLine[] = [];
  let start = 0;
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(0x0a, start) + 1;
    if (end === 0) return lines;
    if (end - 1 > start) lines.push({ text: bytes.toString(encoding, start, end - 1), number, start, end });
    start = end;
  }
}

/** What one policy answered. */
const entry = z.object({
  policy: z.string(),
  kind: z.enum(["enforcement", "observer"]),
  bundle: z.string(),
  mode: z.string().optional(),
  /** The scope it was consented to for, unless that is the project of the call. */
  scope: z.enum(["enclosing", "global", "system"]).optional(),
  /** What the agent could carry, if that is less than the decision. */
  carried: z.string().optional(),
  decision: z.string().optional(),
  failure: z.string().optional(),
  /** The person's exception that let the call past it. */
  exception: z.string().optional(),
  rewrote: z.boolean().optional(),
  ms: z.number(),
  applied: z.boolean(),
});

const line = z.object({
  time: z.string(),
  runtime: z.string(),
  phase: z.string(),
  tool: z.string().nullable(),
  /** The agent's id for the call, the same before and after it, and its session; absent: the agent sends none. */
  call: z.string().optional(),
  session: z.string().optional(),
  policies: z.array(entry),
  verdict: z.string(),
  effective: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  reason: z.string().optional(),
  context: z.number().optional(),
  /** Redacted JSON text if the journal keeps it. */
  rewritten: z.union([z.literal(true), z.string()]).optional(),
  input: z.string().optional(),
  /** The input is all of it: only words that look like secrets were replaced. */
  isWhole: z.literal(true).optional(),
  /** Identifies a denied call that a person can let through. */
  named: z.object({ digest: z.string(), folder: z.string(), session: z.string() }).optional(),
  problem: z.string().optional(),
  ms: z.number(),
  hash: z.string(),
});

/** One call, as the hook process noted it. */
export type JournalLine = z.infer<typeof line>;

/** Which call a line is about, and what became of it: checking all of a line takes four times as long. */
const answer = line.pick({
  time: true,
  runtime: true,
  phase: true,
  tool: true,
  call: true,
  session: true,
  effective: true,
  hash: true,
});

export type AnswerLine = z.infer<typeof answer>;

/** How many digits of a line's hash are a call's id. */
const ID_DIGITS = 12;

export function idOf({ hash }: Pick<JournalLine, "hash">): string {
  return hash.slice(0, ID_DIGITS);
}

/** Undefined: it isn't a line of the journal. `drwn log --verify` reports torn lines. */
export function parseLine(text: string): JournalLine | undefined {
  return parse(text, line);
}

export function parseAnswerLine(text: string): AnswerLine | undefined {
  return parse(text, answer);
}

function parse<Line>(text: string, schema: z.ZodType<Line>): Line | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `@scope/name`, from `@scope/name@version#hook`. */
export function cardOf(policy: string): string {
  return policy.slice(0, policy.indexOf("@", 1));
}
