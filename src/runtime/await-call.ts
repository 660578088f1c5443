import { closeSync, existsSync, lstatSync, read, readSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { layout } from "../contract/layout.ts";
import { decodeBytes, exitNow, killNow, nodeProcess, startTimer, stopTimer } from "../hot/primordials.ts";
import type { StatePlace } from "../hot/read-file.ts";

/** Its own hold on the pipe of its input, so that this does not end before there is a call. */
const HOLD = 7;
const STDIN = 0;
const LONGEST_RING = 128;

export interface Waiting extends StatePlace {
  /** The folder of its pipes, which a launcher made. */
  slot: string;
  /** What this process was started for, by `describeStart`. */
  startedFor: string | undefined;
  /** So long it waits. */
  idleMs: number;
}

export interface Rung {
  /** The phase of the call. */
  when: string;
  /** Where an event that isn't for this process is laid, for the one that the launcher then starts. */
  eventFile: string;
  /** The launcher's, of this call alone: what lay in a pipe before doesn't have it. */
  word: string;
  /** Returns when the event follows; whoever has rung and does not go on has changed his mind, and this ends. */
  endUnlessGoing: () => void;
}

/**
 * Waits for the one call of this process, and tells `onCall` when it is. The launcher rings with this process's own number and the phase; this
 * process takes the file away by which it was found, and the event follows.
 */
export function awaitCall({ home, key, slot, startedFor, idleMs }: Waiting, onCall: (rung: Rung) => void): void {
  const readyFile = layout.ready(home, key, slot.slice(-1));
  if (startedFor === undefined || isOpenToOthers(slot)) exitNow(1);
  // Whoever ends what waits has come before the pipes had a reader.
  if (existsSync(`${slot}/taken`)) exitNow(0);
  const id = `${process.hrtime.bigint()}`;
  const bytes = new Uint8Array(LONGEST_RING);
  // An orderly end would wait for the thread that reads.
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
 * What this process was started for, as the launcher says it of a call. Undefined: a value could be taken for two. Asked before policies have a
 * stage: that has no environment.
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
