import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { removeTreeInUse, sweepTemporaries } from "../kernel/atomic.ts";

/** How many hook processes wait for calls at most, of all projects of a user. The launcher has the same number. */
const PLACES = ["1", "2"];

/** Whether launchers start hook processes before calls, on this machine. */
export function isWarm(home: string): boolean {
  return fs.existsSync(layout.warm(home));
}

/** The folder is the whole record: a launcher that finds none looks no further. */
export function setWarm(home: string, isOn: boolean): void {
  if (isOn) {
    fs.mkdirSync(layout.warm(home), { recursive: true, mode: 0o700 });
    fs.chmodSync(layout.warm(home), 0o700);
    return;
  }
  endWaiting(home);
  removeTreeInUse(layout.warm(home));
  sweepTemporaries(home);
}

/** Ends every process that waits. One that has its call goes on with it, and launchers may make the places of others meanwhile. */
export function endWaiting(home: string): void {
  for (const place of PLACES) {
    const slot = path.join(layout.warm(home), place);
    if (!takePlace(slot) || !say(slot, "end\n")) continue;
    removeTreeInUse(slot);
    sweepTemporaries(layout.warm(home));
  }
}

/** The numbers of the processes that wait for a call. */
export function findWaiting(home: string): number[] {
  return PLACES.flatMap((place) => {
    const slot = path.join(layout.warm(home), place);
    const pid = Number(/^([0-9]+)\n/u.exec(readText(path.join(slot, "for")))?.[1]);
    return pid > 0 && isSame(`/proc/${pid}/fd/7`, path.join(slot, "in")) ? [pid] : [];
  });
}

/** As launchers do: one alone makes the file. */
function takePlace(slot: string): boolean {
  try {
    fs.closeSync(fs.openSync(path.join(slot, "taken"), "wx", 0o600));
    return true;
  } catch {
    return false;
  }
}

/** False: nobody listens. */
function say(slot: string, text: string): boolean {
  try {
    const { O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants;
    const pipe = fs.openSync(path.join(slot, "in"), O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fs.fstatSync(pipe).isFIFO()) fs.writeSync(pipe, text);
    fs.closeSync(pipe);
    return true;
  } catch {
    return false;
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => fs.statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
