import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { layout } from "../contract/layout.ts";
import { openRegular } from "../kernel/read-file.ts";
import { type JournalLine, parseLine } from "./line.ts";
import { splitLines } from "./segments.ts";
import { type CallFilter, isWanted } from "./select.ts";

const PAUSE_MS = 200;

interface FollowRequest {
  home: string;
  key: string;
  filter: CallFilter;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Calls as they are journaled, from now on, across journals that are put aside. */
export async function* followCalls({ home, key, filter, signal }: FollowRequest): AsyncGenerator<JournalLine> {
  const file = layout.journal(home, key);
  let reader = openAtEnd(file);
  try {
    while (signal?.aborted !== true) {
      const isReplaced = inodeOf(file) !== reader?.inode;
      if (reader !== null) yield* readMore(reader, filter);
      if (isReplaced) {
        closeReader(reader);
        reader = openReader(file, 0);
        if (reader !== null) continue;
      }
      await wait(PAUSE_MS, undefined, { ...(signal === undefined ? {} : { signal }) }).catch(() => {});
    }
  } finally {
    closeReader(reader);
  }
}

interface Reader {
  fd: number;
  inode: number;
  position: number;
}

function openAtEnd(file: string): Reader | null {
  return openReader(file, fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
}

function openReader(file: string, position: number): Reader | null {
  const fd = openRegular(file);
  return fd === undefined ? null : { fd, inode: fs.fstatSync(fd).ino, position };
}

function inodeOf(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.ino;
}

function closeReader(reader: Reader | null): void {
  if (reader !== null) fs.closeSync(reader.fd);
}

/** Whole lines only; the rest is read with what comes behind it. */
function readMore(reader: Reader, filter: CallFilter): JournalLine[] {
  const length = fs.fstatSync(reader.fd).size - reader.position;
  if (length <= 0) return [];
  const bytes = Buffer.alloc(length);
  const read = fs.readSync(reader.fd, bytes, 0, length, reader.position);
  const lines = splitLines(bytes.subarray(0, read));
  reader.position += bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
  return lines.flatMap(({ text }) => {
    const line = parseLine(text);
    return line !== undefined && isWanted(line, filter) ? [line] : [];
  });
}
