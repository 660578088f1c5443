import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { layout } from "../contract/layout.ts";
import { openRegular } from "../kernel/files.ts";
import { type JournalLine, parseLine, splitLines } from "./segments.ts";
import { type CallFilter, isWanted } from "./select.ts";

const PAUSE_MS = 200;
/** How much is read at once: more than the longest line of the hook process. */
const CHUNK = 4 * 1024 * 1024;

interface FollowRequest {
  home: string;
  key: string;
  filter: CallFilter;
  /** Ends the following. */
  signal?: AbortSignal;
}

/** Yields calls from now on as they are journaled, even if the journal is put aside, cut off or removed meanwhile. */
export function followCalls(request: FollowRequest): AsyncGenerator<JournalLine> {
  return followFrom(openAtEnd(layout.journal(request.home, request.key)), request);
}

async function* followFrom(
  opened: Reader | null,
  { home, key, filter, signal }: FollowRequest,
): AsyncGenerator<JournalLine> {
  const file = layout.journal(home, key);
  let reader = opened;
  try {
    while (signal?.aborted !== true) {
      const isReplaced = inodeOf(file) !== reader?.inode;
      if (reader !== null) yield* readMore(reader, filter);
      if (isReplaced) {
        closeReader(reader);
        reader = null;
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

function* readMore(reader: Reader, filter: CallFilter): Generator<JournalLine> {
  for (let bytes = readChunk(reader); bytes.length > 0; bytes = readChunk(reader)) {
    for (const { text } of splitLines(bytes)) {
      const line = parseLine(text);
      if (line !== undefined && isWanted(line, filter)) yield line;
    }
  }
}

/** Reads whole lines only; a part of a line is read again together with the rest. */
function readChunk(reader: Reader): Buffer {
  const { size } = fs.fstatSync(reader.fd);
  // The file was cut off and written again.
  if (size < reader.position) reader.position = 0;
  const bytes = Buffer.alloc(Math.min(CHUNK, size - reader.position));
  const read = fs.readSync(reader.fd, bytes, 0, bytes.length, reader.position);
  const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
  // drwn never writes a whole chunk without a line break, so it is skipped.
  const used = end === 0 && read === CHUNK ? read : end;
  reader.position += used;
  return bytes.subarray(0, used);
}
