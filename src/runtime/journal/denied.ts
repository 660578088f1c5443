import { closeSync, constants, fstatSync, openSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { SEGMENT } from "../../contract/journal.ts";
import { type NotesPlace, readRange } from "../../hot/read-file.ts";
import { writeWhole } from "../../hot/write.ts";

/**
 * Room for some four hundred ids. If an older denied call runs after all, its after event may go unnoticed;
 * `drwn log check` finds it.
 */
const LARGEST = 32_768;
/**
 * The list is emptied after this time, since an event after a call costs least while it is empty. No tool runs longer
 * without a word.
 */
const LONGEST_MS = 60 * 60 * 1000;
const ID_DIGITS = 12;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC } = constants;

/** Called before any policy runs. Null: the list cannot be opened, which changes no verdict. */
export function openDenied({ notes: home, key }: NotesPlace): number | null {
  const file = hookLayout.denied(home, key);
  try {
    const fd = openSync(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stat = fstatSync(fd);
    const isOld = stat.isFile() && stat.size > 0 && Date.now() - stat.mtimeMs > LONGEST_MS;
    if (stat.isFile() && stat.size <= LARGEST && !isOld) return fd;
    const kept = stat.isFile() ? readRange(fd, Math.max(0, stat.size - LARGEST / 2), stat.size) : null;
    closeSync(fd);
    if (kept === null) return null;
    if (isOld) return openSync(file, O_APPEND | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_TRUNC);
    const next = `${file}-${process.pid}`;
    writeFileSync(next, kept.subarray(kept.indexOf(LINE_BREAK) + 1), { mode: 0o600 });
    renameSync(next, file);
    return openSync(file, O_APPEND | O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
}

const LINE_BREAK = 0x0a;

export function noteDenied(fd: number, callId: string): void {
  writeWhole(fd, `${callId}\n`);
}

export function closeDenied(fd: number): void {
  closeSync(fd);
}

/**
 * The first digits of the hash of the line that denied this call; null: it was not denied. The list of ids only says
 * whether to look, since anybody could write an id. The last line that the journal has about the call in its session
 * decides.
 */
export function findDenial(place: NotesPlace, callId: string, session: string): string | null {
  const { notes: home, key } = place;
  try {
    const noted = readWhole(hookLayout.denied(home, key));
    if (!`\n${noted.toString("latin1")}`.includes(`\n${callId}\n`)) return null;
    const folder = hookLayout.project(home, key);
    const aside = readdirSync(folder).filter((name) => SEGMENT.test(name));
    const newest = aside.sort().slice(-1);
    for (const file of [hookLayout.journal(home, key), ...newest.map((name) => `${folder}/${name}`)]) {
      const last = findLast(readWhole(file), callId, session);
      if (last !== null) return last.effective === "deny" ? last.hash.slice(0, ID_DIGITS) : null;
    }
  } catch {
    // Without the journal nobody can say whether the call was denied.
  }
  return null;
}

interface JudgedLine {
  effective: string;
  hash: string;
}

function findLast(bytes: Buffer, callId: string, session: string): JudgedLine | null {
  const sought = `"call":"${callId}"`;
  for (let at = bytes.lastIndexOf(sought); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(sought, at - 1)) {
    const start = bytes.lastIndexOf(LINE_BREAK, at) + 1;
    const end = bytes.indexOf(LINE_BREAK, at);
    const line = readLine(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
    if (line?.["phase"] !== "pre-tool" || line["call"] !== callId || (line["session"] ?? "") !== session) continue;
    return { effective: String(line["effective"]), hash: String(line["hash"]) };
  }
  return null;
}

function readLine(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readWhole(file: string): Buffer {
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? Buffer.from(readRange(fd, 0, stat.size)) : Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}
