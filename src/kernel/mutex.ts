import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { FOREIGN_AGE_MS, hasCode, listFolder, makeFolders, sweepTemporaries, temporaryName } from "./files.ts";
import { Problem } from "./problem.ts";
import { isProcessAlive, thisMachine, thisProcess } from "./process.ts";
import { shellQuote } from "./text.ts";
import { msSince, trace } from "./trace.ts";

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Runs `work` while no other drwn process holds the same lock. It waits up to 30 s for a living process, and takes over
 * the lock of a killed one at once. It cannot tell whether a process of another machine or container lives, so it
 * respects such a lock for a day.
 *
 * The lock is a folder with one file, which names its owner: process, start time, machine and a random part. A folder
 * can only be moved to a path where there is none, or an empty one. To clear away a dead owner, a process removes the
 * file of exactly that owner, so no living owner's lock is lost.
 */
export async function withLock<T>(lock: string, work: () => T | Promise<T>): Promise<T> {
  const owner = newOwner();
  await acquire(lock, owner);
  try {
    return await work();
  } finally {
    release(lock, owner);
  }
}

/** The same without waiting: does nothing while another process holds the lock. */
export function withFreeLock(lock: string, work: () => void): void {
  const owner = newOwner();
  const prepared = prepare(lock, owner);
  try {
    if (!moveThere(prepared, lock) && !(clearDeadOwners(lock, prepared) && moveThere(prepared, lock))) return;
  } finally {
    fs.rmSync(prepared, { recursive: true, force: true });
  }
  try {
    work();
  } finally {
    release(lock, owner);
  }
}

function newOwner(): string {
  return `${thisProcess()}-${thisMachine()}-${randomBytes(8).toString("hex")}`;
}

function release(lock: string, owner: string): void {
  fs.rmSync(path.join(lock, owner), { force: true });
  removeIfEmpty(lock);
}

async function acquire(lock: string, owner: string): Promise<void> {
  const prepared = prepare(lock, owner);
  const started = Date.now();
  const begun = performance.now();
  try {
    while (!moveThere(prepared, lock)) {
      if (clearDeadOwners(lock, prepared)) continue;
      if (Date.now() - started > PATIENCE_MS) throw busy(lock);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    trace("wait", () => `${lock}: held after ${msSince(begun)}`);
  } finally {
    fs.rmSync(prepared, { recursive: true, force: true });
  }
}

/** Makes a folder with its owner in it, beside the lock, and sweeps what killed processes left there. */
function prepare(lock: string, owner: string): string {
  const folder = path.dirname(lock);
  makeFolders(folder);
  sweepTemporaries(folder);
  const prepared = temporaryName(lock);
  try {
    fs.mkdirSync(prepared, { mode: 0o700 });
    fs.writeFileSync(path.join(prepared, owner), "");
  } catch (error) {
    fs.rmSync(prepared, { recursive: true, force: true });
    throw error;
  }
  return prepared;
}

function moveThere(prepared: string, lock: string): boolean {
  try {
    fs.renameSync(prepared, lock);
    return true;
  } catch (error) {
    // If the folder isn't empty, Windows reports EPERM.
    const isTaken = hasCode(error, "ENOTEMPTY") || hasCode(error, "EEXIST");
    if (isTaken || (hasCode(error, "EPERM") && fs.existsSync(lock))) return false;
    throw error;
  }
}

/** True: there was a dead owner. */
function clearDeadOwners(lock: string, prepared: string): boolean {
  const dead = listFolder(lock).filter((owner) => !mayHold(path.join(lock, owner), prepared));
  for (const owner of dead) fs.rmSync(path.join(lock, owner), { force: true });
  if (dead.length === 0) return false;
  removeIfEmpty(lock);
  return true;
}

/** Compares two times that the disk's clock wrote, since the machines' clocks may differ by hours. */
function mayHold(file: string, prepared: string): boolean {
  const { pid, startTime, isForeign } = parseOwner(path.basename(file));
  if (!isForeign) return isProcessAlive(pid, startTime);
  const [held, now] = [file, prepared].map((one) => fs.statSync(one, { throwIfNoEntry: false })?.mtimeMs);
  return held === undefined || now === undefined || now - held < FOREIGN_AGE_MS;
}

function parseOwner(owner: string): { pid: string; startTime: string; isForeign: boolean } {
  const [pid = "", startTime = "", machine = ""] = owner.split("-");
  return { pid, startTime, isForeign: machine !== thisMachine() };
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    // Another process holds it already, or has removed it.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "EPERM"].some((code) => hasCode(error, code))) throw error;
  }
}

function busy(lock: string): Problem {
  const { pid, isForeign } = parseOwner(listFolder(lock)[0] ?? "unknown");
  const place = isForeign ? " of another machine or container that shares this folder" : "";
  const remedy = isForeign ? `, or, if no drwn is at work there any more: rm -r ${shellQuote(lock)}` : "";
  return new Problem("DRWN_BUSY", `another drwn process holds ${lock}`, {
    details: [`owner: process ${pid}${place}`],
    hint: `wait for it to end, then run the command again${remedy}`,
  });
}
