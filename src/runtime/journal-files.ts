import { constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { JOURNAL, LINE_END, NO_HASH, SEGMENT } from "../contract/journal.ts";
import { layout } from "../contract/layout.ts";
import { digestOf } from "./digest.ts";
import type { Place } from "./read-file.ts";
import { rotateJournal } from "./rotate-journal.ts";

/** Where a line goes, and what it binds. Everything here happens before any policy runs. */
export interface JournalFiles {
  journal: number;
  seals: number;
  tail: Tail;
}

/** The end of the journal as this process saw it. */
export interface Tail {
  /** How many bytes of whole lines there were. */
  at: number;
  prev: string;
  /** A line that was torn off, as by a full disk, is ended first. */
  isTorn: boolean;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const APPEND = O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW;
const LINE_BREAK = 0x0a;
/** Of what `LINE_END` finds, and a little more. */
const LONGEST_END = 180;
const WINDOW = 4_096;
/** Beyond this what lies at the end is no journal: the chain begins again, and `drwn log verify` says so. */
const LARGEST_GAP = 4 * 1024 * 1024;

/** Null: nothing can be written, and that decides nothing. */
export function openJournalFiles(place: Place): JournalFiles | null {
  try {
    let files = open(place);
    if (files !== null && files.size >= JOURNAL.segment && rotateJournal(place, files.journal)) files = open(place);
    return files === null ? null : { ...files, tail: tailOf(place, files) };
  } catch {
    return null;
  }
}

interface Opened {
  journal: number;
  seals: number;
  size: number;
}

/** The seals first: a journal that is put aside in between then never holds fewer lines than its seals name. */
function open({ home, key }: Place): Opened | null {
  const seals = openSync(layout.seals(home, key), APPEND | O_WRONLY, 0o600);
  const journal = openSync(layout.journal(home, key), APPEND | O_RDWR, 0o600);
  const stat = fstatSync(journal);
  return stat.isFile() && fstatSync(seals).isFile() ? { journal, seals, size: stat.size } : null;
}

function tailOf(place: Place, { journal, size }: Opened): Tail {
  if (size > 0) return readTail(journal, size);
  const former = findNewestSegment(place);
  if (former === null) return { at: 0, prev: JOURNAL.beginning, isTorn: false };
  const fd = openSync(former, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return { at: 0, prev: readTail(fd, fstatSync(fd).size).prev, isTorn: false };
}

/** Looks at ever more of the end, until all lines are seen that the new one has to bind. */
function readTail(fd: number, size: number): Tail {
  for (let window = WINDOW; ; window *= 8) {
    const start = Math.max(0, size - window);
    const tail = bindTail(readRange(fd, start, size), start);
    if (tail !== null) return tail;
    if (start === 0 || window >= LARGEST_GAP) return { at: size, prev: JOURNAL.beginning, isTorn: false };
  }
}

/** Null: too little of the file is seen. */
function bindTail(bytes: Buffer, start: number): Tail | null {
  const end = bytes.lastIndexOf(LINE_BREAK) + 1;
  const at = start + end;
  const isTorn = end < bytes.length;
  const hashes: string[] = [];
  for (let to = end; to > 0; ) {
    const from = to < 2 ? 0 : bytes.lastIndexOf(LINE_BREAK, to - 2) + 1;
    // The first piece may be the end of a longer line.
    if (from === 0 && start > 0) return null;
    const ending = LINE_END.exec(bytes.toString("latin1", Math.max(from, to - LONGEST_END), to - 1));
    if (to - 1 > from) hashes.unshift(ending?.[3] ?? NO_HASH);
    if (ending !== null)
      return bindGap({ bytes, start, to: from, from: Number(ending[1]) - start }, hashes, { at, isTorn });
    to = from;
  }
  return start > 0 ? null : { at, prev: at === 0 ? JOURNAL.beginning : bind(hashes), isTorn };
}

interface Gap {
  bytes: Buffer;
  start: number;
  from: number;
  to: number;
}

/** The last whole line binds what lay before its own `at`; the lines behind that are still to be bound. */
function bindGap({ bytes, from, to }: Gap, later: string[], { at, isTorn }: Omit<Tail, "prev">): Tail | null {
  if (from < 0) return null;
  const between: string[] = [];
  for (const line of bytes.toString("latin1", from, Math.max(from, to)).split("\n")) {
    if (line !== "") between.push(LINE_END.exec(line.slice(-LONGEST_END))?.[3] ?? NO_HASH);
  }
  return { at, prev: bind([...between, ...later]), isTorn };
}

/** One digest for all of these lines. */
function bind(hashes: readonly string[]): string {
  const [only, ...others] = hashes;
  if (only !== undefined && others.length === 0 && only !== NO_HASH) return only;
  return digestOf(Buffer.from(hashes.join("\n"))).slice("sha256-".length);
}

function readRange(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const length = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    if (length === 0) break;
    filled += length;
  }
  return bytes.subarray(0, filled);
}

function findNewestSegment({ home, key }: Place): string | null {
  const folder = layout.project(home, key);
  const names = readdirSync(folder).filter((name) => SEGMENT.test(name));
  const newest = names.sort().at(-1);
  return newest === undefined ? null : `${folder}/${newest}`;
}
