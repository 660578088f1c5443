import { isAscii } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { SEGMENT } from "../contract/journal.ts";
import { layout } from "../contract/layout.ts";
import { listFolder } from "../kernel/atomic.ts";
import { openRegular, readIfThere } from "../kernel/read-file.ts";

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
