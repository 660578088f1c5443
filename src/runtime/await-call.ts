import { closeSync, existsSync, lstatSync, read, readSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { layout } from "../contract/layout.ts";
import { decodeBytes, exitNow, killNow, nodeProcess, startTimer, stopTimer } from "../hot/primordials.ts";
import type { StatePlace } from "../hot/read-file.ts";

/** This process holds the pipe of its own input open, so that the input does not end before there is a call. */
const HOLD = 7;
const STDIN = 0;
const LONGEST_RING = 128;

export interface Waiting extends StatePlace {
  /** The folder of its pipes. A launcher made it. */
  slot: string;
  /** What this process was started for, as `describeStart` says it. */
  startedFor: string | undefined;
  /** How long it waits. */
  idleMs: number;
}

export interface Rung {
  /** The phase of the call. */
  when: string;
  /** The file for an event that isn't for this process; the launcher then starts another, which reads it. */
  eventFile: string;
  /** The launcher chooses it for this call alone, so bytes left in a pipe from earlier don't contain it. */
  word: string;
  /**
   * Returns once the launcher says that the event follows. If it says anything else, it wants another process, and this
   * one ends.
   */
  endUnlessGoing: () => void;
}

/**
 * Waits for the one call of this process, then calls `onCall`. The launcher rings with this process's own id and the
 * phase; this process removes the file by which the launcher found it, and the event follows.
 */
export function awaitCall({ home, key, slot, startedFor, idleMs }: Waiting, onCall: (rung: Rung) => void): void {
  const readyFile = layout.ready(home, key, slot.slice(-1));
  if (startedFor === undefined || isOpenToOthers(slot)) exitNow(1);
  // Somebody tried to end this process before it read its pipes.
  if (existsSync(`${slot}/taken`)) exitNow(0);
  const id = `${process.hrtime.bigint()}`;
  const bytes = new Uint8Array(LONGEST_RING);
  // An orderly exit would wait for the thread that reads.
  const idle = startTimer(killNow, idleMs);
  read(STDIN, bytes, 0, LONGEST_RING, null, (error, length) => {
    const [, rung, when = "", launcher = "", word = ""] =
      /^ring ([0-9]+) ([a-z.]+) ([0-9]+) ([0-9a-f-]{36})\n$/u.exec(decodeBytes(bytes, length)) ?? [];
    if (error !== null || rung !== id) exitNow(0);
    stopTimer(idle);
    closeSync(HOLD);
    unlinkSync(readyFile);
    onCall({ when, word, eventFile: layout.event(home, key, launcher), endUnlessGoing });
  });
  const draft = `${readyFile}.${process.pid}`;
  writeFileSync(draft, `${process.pid} ${id}\n${startedFor}\n`, { flag: "wx", mode: 0o600 });
  renameSync(draft, readyFile);
}

/**
 * What this process was started for, in the form in which the launcher describes a call. Undefined: a value contains a
 * separator. Called before the stage for policies is set, since the stage has no environment.
 */
export function describeStart(words: readonly string[]): string | undefined {
  const [runtime = "", key = "", home = "", root = "", common = "", total = "", plan = "", mode = "", , above = ""] =
    words;
  const { TZ = "", LANG = "", LC_ALL = "", LC_MESSAGES = "" } = process.env;
  const values = [
    runtime,
    key,
    home,
    root,
    common,
    total,
    plan,
    mode,
    above,
    process.cwd(),
    TZ,
    LANG,
    LC_ALL,
    LC_MESSAGES,
  ];
  return values.some((value) => /[\t\n]/u.test(value)) ? undefined : values.join("\t");
}

function endUnlessGoing(): void {
  const go = new Uint8Array(3);
  let length = 0;
  while (length < go.length) {
    const more = readSync(STDIN, go, length, go.length - length, null);
    if (more === 0) exitNow(0);
    length += more;
  }
  if (decodeBytes(go) !== "go\n") exitNow(0);
}

function isOpenToOthers(slot: string): boolean {
  return [slot, slot.slice(0, slot.lastIndexOf("/"))].some((folder) => {
    const stat = lstatSync(folder);
    return !stat.isDirectory() || stat.uid !== nodeProcess.getuid?.() || (stat.mode & 0o077) !== 0;
  });
}
