import { isAscii } from "node:buffer";
import path from "node:path";
import { SEGMENT } from "../contract/journal.ts";
import { layout } from "../contract/layout.ts";
import { listFolder } from "../kernel/atomic.ts";
import { Room, readIfThere } from "../kernel/read-file.ts";

/** One file of a journal. */
export interface Segment {
  file: string;
  seals: string;
  /** Of those that were put aside, from 1; null: the one that is written to. */
  number: number | null;
}

/** The journal's files, oldest first. The last one may not be there yet. */
export function listSegments(home: string, key: string): Segment[] {
  const folder = layout.project(home, key);
  const aside = listFolder(folder)
    .filter((name) => SEGMENT.test(name))
    .sort()
    .map((name) => ({
      file: path.join(folder, name),
      seals: path.join(folder, name.replace(/jsonl$/u, "seals")),
      number: Number(SEGMENT.exec(name)?.[1]),
    }));
  return [...aside, { file: layout.journal(home, key), seals: layout.seals(home, key), number: null }];
}

/** "" when it is not there: the hook may put it aside at any moment. */
export function readSegment(file: string): Buffer {
  return readIfThere(file) ?? Buffer.alloc(0);
}

/** What each file holds, oldest first. The bytes stand until the next ones are asked for. */
export function* eachSegment(home: string, key: string): Generator<Buffer> {
  const room = new Room();
  for (const { file } of listSegments(home, key)) yield readIfThere(file, undefined, room) ?? Buffer.alloc(0);
}

/** One line that is not blank, with its place in the file. */
export interface PlacedLine {
  text: string;
  /** From 1. */
  number: number;
  start: number;
  /** Behind its line break. */
  end: number;
}

/** A last line without a line break is left out: it may be in the middle of being written. */
export function splitLines(bytes: Buffer): PlacedLine[] {
  // Text of ASCII alone is the same in both, and Node reads this one faster.
  const encoding = isAscii(bytes) ? "latin1" : "utf8";
  const lines: PlacedLine[] = [];
  let start = 0;
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(0x0a, start) + 1;
    if (end === 0) return lines;
    if (end - 1 > start) lines.push({ text: bytes.toString(encoding, start, end - 1), number, start, end });
    start = end;
  }
}
