import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { JOURNAL, LINE_END, NO_HASH, SEGMENT } from "../../contract/journal.ts";
import { digestOfFile } from "../../hook-base/digest.ts";
import { decodeLatin1 } from "../../hook-base/primordials.ts";
import { type NotesLocation, readRange } from "../../hook-base/read-file.ts";
import { rotateJournal } from "./rotate.ts";

/** Where a line is written, and which lines it binds. Everything here happens before any policy runs. */
export interface JournalFiles {
  journal: number;
  tail: Tail;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const APPEND = O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW;

/** Null: nothing can be written, which changes no verdict. */
export function openJournalFiles(place: NotesLocation, isRotated = false): JournalFiles | null {
  const { notes: home, key } = place;
  try {
    const journal = openSync(hookLayout.journal(home, key), APPEND | O_RDWR, 0o600);
    const stat = fstatSync(journal);
    const { size } = stat;
    const isFull = stat.isFile() && size >= JOURNAL.segment && !isRotated;
    if (!stat.isFile() || (isFull && rotateJournal(place, journal))) {
      closeSync(journal);
      return isFull ? openJournalFiles(place, true) : null;
    }
    return { journal, tail: size > 0 ? readTail(journal, size) : firstTail(place) };
  } catch {
    return null;
  }
}

export function closeJournalFiles({ journal }: JournalFiles): void {
  closeSync(journal);
}

/** What the first line of a new journal binds. */
function firstTail(place: NotesLocation): Tail {
  const former = findNewestSegment(place);
  if (former === null) return { at: 0, prev: JOURNAL.beginning, isTorn: false };
  const fd = openSync(former, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const { prev } = readTail(fd, fstatSync(fd).size);
  closeSync(fd);
  return { at: 0, prev, isTorn: false };
}

function findNewestSegment({ notes: home, key }: NotesLocation): string | null {
  const folder = hookLayout.project(home, key);
  const names = readdirSync(folder).filter((name) => SEGMENT.test(name));
  const newest = names.sort().at(-1);
  return newest === undefined ? null : `${folder}/${newest}`;
}

/** The end of the journal as this process saw it. */
interface Tail {
  /** How many bytes of whole lines it held. */
  at: number;
  prev: string;
  /** The last line was cut off, as by a full disk; the new one starts with a line break. */
  isTorn: boolean;
}

const LINE_BREAK = 0x0a;
/** The longest match of `LINE_END`, and a little more. */
const LONGEST_END = 180;
/** A call that many policies judged has a line of several kilobytes. */
const WINDOW = 32_768;
/**
 * If no line is found this far from the end, the file isn't a journal: the chain begins again, and `drwn log --verify`
 * says so.
 */
const LARGEST_GAP = 4 * 1024 * 1024;

/** Reads more and more of the end, until it has seen all lines that the new one must bind. */
function readTail(fd: number, size: number): Tail {
  for (let window = WINDOW; ; window *= 8) {
    const start = size > window ? size - window : 0;
    const bytes = readRange(fd, start, size);
    const tail = bindLastLine(bytes, start) ?? bindTail(bytes, start);
    if (tail !== null) return tail;
    if (start === 0 || window >= LARGEST_GAP) return { at: size, prev: JOURNAL.beginning, isTorn: false };
  }
}

/** The length of a line's end after the digits of `at`, and after its hash. */
const AFTER_AT = ',"prev":"","hash":""}\n'.length + 128;
const AFTER_HASH = '"}\n'.length;
const HASH = 64;
const ZERO = 0x30;

/**
 * The usual case: no other line was written between the moment when the last line's process looked and that line. It
 * does without the patterns of the general case, which take long to prepare. Null: this isn't the usual case.
 */
function bindLastLine(bytes: Uint8Array, start: number): Tail | null {
  const { length } = bytes;
  let from = -start;
  for (let i = length - AFTER_AT - 1, unit = 1; i >= 0; i--, unit *= 10) {
    const digit = (bytes[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    from += digit * unit;
  }
  if (from < 0 || from > length - AFTER_AT || (from > 0 && bytes[from - 1] !== LINE_BREAK)) return null;
  const line = decodeLatin1(bytes, from, length);
  if (line.indexOf("\n") !== line.length - 1 || !line.startsWith(',"prev":"', line.length - AFTER_AT)) return null;
  const prev = line.slice(-AFTER_HASH - HASH, -AFTER_HASH);
  return isHex(prev) ? { at: start + length, prev, isTorn: false } : null;
}

function isHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < ZERO || unit > 0x66 || (unit > 0x39 && unit < 0x61)) return false;
  }
  return text.length === HASH;
}

/** Null: it needs to see more of the file. */
function bindTail(bytes: Uint8Array, start: number): Tail | null {
  const end = bytes.lastIndexOf(LINE_BREAK) + 1;
  const at = start + end;
  const isTorn = end < bytes.length;
  const hashes: string[] = [];
  for (let to = end; to > 0; ) {
    const from = to < 2 ? 0 : bytes.lastIndexOf(LINE_BREAK, to - 2) + 1;
    // The first piece may be the end of a longer line.
    if (from === 0 && start > 0) return null;
    const ending =
      to - 1 === from ? null : LINE_END.exec(decodeLatin1(bytes, Math.max(from, to - LONGEST_END), to - 1));
    if (to - 1 > from) hashes.unshift(ending?.[3] ?? NO_HASH);
    if (ending !== null) {
      return bindGap({ bytes, from: Number(ending[1]) - start, to: from }, hashes, { at, isTorn });
    }
    to = from;
  }
  return start > 0 ? null : { at, prev: at === 0 ? JOURNAL.beginning : bind(hashes), isTorn };
}

interface Gap {
  bytes: Uint8Array;
  from: number;
  to: number;
}

/** The last whole line binds everything before its own `at`; the lines after that still have to be bound. */
function bindGap({ bytes, from, to }: Gap, later: string[], { at, isTorn }: Omit<Tail, "prev">): Tail | null {
  if (from < 0) return null;
  const between: string[] = [];
  const text = from < to ? decodeLatin1(bytes, from, to) : "";
  for (const line of text.split("\n")) {
    if (line !== "") between.push(LINE_END.exec(line.slice(-LONGEST_END))?.[3] ?? NO_HASH);
  }
  return { at, prev: bind([...between, ...later]), isTorn };
}

/** One digest for all of these lines. */
function bind(hashes: readonly string[]): string {
  const [only, ...others] = hashes;
  if (only !== undefined && others.length === 0 && only !== NO_HASH) return only;
  return digestOfFile(Buffer.from(hashes.join("\n"))).slice("sha256-".length);
}
