import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { JOURNAL, SEGMENT } from "../../contract/journal.ts";
import type { NotesLocation } from "../../hook-base/read-file.ts";

/** Putting a journal aside never takes this long: a process that holds the lock longer has died. */
const STALE_MS = 10_000;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Puts a full journal aside and removes the oldest. False: another process is doing so, and meanwhile lines go to the
 * full one. No name is used twice, so that not even two processes that both hold the lock, as after a crash, replace
 * one journal by another.
 */
export function rotateJournal({ notes: home, key }: NotesLocation, fd: number): boolean {
  const journal = hookLayout.journal(home, key);
  const lock = `${journal}.lock`;
  if (!takeLock(lock)) return false;
  try {
    if (statSync(journal, { throwIfNoEntry: false })?.ino !== fstatSync(fd).ino) return true;
    const folder = hookLayout.project(home, key);
    const former = listSegments(folder);
    const number = `${numberOf(former.at(-1)) + 1}`.padStart(6, "0");
    renameSync(journal, `${folder}/journal.${number}-${process.pid}.jsonl`);
    for (const oldest of former.slice(0, Math.max(0, former.length + 1 - JOURNAL.kept)))
      unlinkSync(`${folder}/${oldest}`);
    return true;
  } finally {
    unlinkSync(lock);
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600));
    return true;
  } catch {
    dropStale(lock);
    return false;
  }
}

function dropStale(lock: string): void {
  try {
    const age = Date.now() - lstatSync(lock).mtimeMs;
    // A lock from the future means that the clock was set back.
    if (age > STALE_MS || age < -STALE_MS) unlinkSync(lock);
  } catch {
    // Its owner has just released it, or it isn't a lock. Meanwhile lines go to the full journal.
  }
}

function listSegments(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => SEGMENT.test(name))
    .sort();
}

function numberOf(segment: string | undefined): number {
  return Number(SEGMENT.exec(segment ?? "")?.[1] ?? 0);
}
