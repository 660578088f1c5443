import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { hasCode, listFolder, sweepTemporaries, temporaryName } from "./atomic.ts";
import { isProcessAlive, thisProcess } from "./owner.ts";
import { Problem } from "./problem.ts";
import { msSince, trace } from "./trace.ts";

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Runs `work` while no other drwn process holds the same lock. Waits up to 30 s for one that lives; the lock of a killed
 * process is taken over at once.
 *
 * The lock is a folder with one file in it, which names its owner: process, start time and a random part. A folder can be
 * moved only to where none is, or an empty one; and whoever clears away a dead owner removes the file of that very owner,
 * so that no lock of a living one is lost on the way.
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

/** The same for who does not wait: nothing is done while another process holds the lock. */
export function withFreeLock(lock: string, work: () => void): void {
  const owner = newOwner();
  const prepared = prepare(lock, owner);
  try {
    if (!moveThere(prepared, lock) && !(clearDeadOwners(lock) && moveThere(prepared, lock))) return;
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
  return `${thisProcess()}-${randomBytes(8).toString("hex")}`;
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
      if (clearDeadOwners(lock)) continue;
      if (Date.now() - started > PATIENCE_MS) throw busy(lock);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    trace("wait", () => `${lock}: held after ${msSince(begun)}`);
  } finally {
    fs.rmSync(prepared, { recursive: true, force: true });
  }
}

/** A folder with its owner in it, beside the lock; what killed processes left there is swept. */
function prepare(lock: string, owner: string): string {
  const folder = path.dirname(lock);
  fs.mkdirSync(folder, { recursive: true });
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
    // Windows refuses with EPERM what others refuse because the folder is not empty.
    const isTaken = hasCode(error, "ENOTEMPTY") || hasCode(error, "EEXIST");
    if (isTaken || (hasCode(error, "EPERM") && fs.existsSync(lock))) return false;
    throw error;
  }
}

/** True when there was one. */
function clearDeadOwners(lock: string): boolean {
  const dead = listFolder(lock).filter((owner) => !isOwnerAlive(owner));
  for (const owner of dead) fs.rmSync(path.join(lock, owner), { force: true });
  if (dead.length === 0) return false;
  removeIfEmpty(lock);
  return true;
}

function isOwnerAlive(owner: string): boolean {
  const [pid = "", startTime = ""] = owner.split("-");
  return isProcessAlive(pid, startTime);
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    // Somebody else holds it by now, or has removed it.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "EPERM"].some((code) => hasCode(error, code))) throw error;
  }
}

function busy(lock: string): Problem {
  return new Problem("DRWN_BUSY", `another drwn process holds ${lock}`, {
    details: [`owner: process ${listFolder(lock)[0]?.split("-")[0] ?? "unknown"}`],
    hint: "wait for it to end, then run the command again",
  });
}
