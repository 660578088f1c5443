import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { hasCode, isAlive, listFolder, sweepTemporaries, temporaryName } from "./atomic.ts";
import { Problem } from "./problem.ts";

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
  const owner = `${process.pid}-${startTimeOf(process.pid)}-${randomBytes(8).toString("hex")}`;
  await acquire(lock, owner);
  try {
    return await work();
  } finally {
    fs.rmSync(path.join(lock, owner), { force: true });
    removeIfEmpty(lock);
  }
}

async function acquire(lock: string, owner: string): Promise<void> {
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  const prepared = temporaryName(lock);
  const started = Date.now();
  try {
    fs.mkdirSync(prepared, { mode: 0o700 });
    fs.writeFileSync(path.join(prepared, owner), "");
    while (!moveThere(prepared, lock)) {
      if (clearDeadOwners(lock)) continue;
      if (Date.now() - started > PATIENCE_MS) throw busy(lock);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    fs.rmSync(prepared, { recursive: true, force: true });
  }
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
  sweepTemporaries(path.dirname(lock));
  return true;
}

function isOwnerAlive(owner: string): boolean {
  const [pid = "", startTime = ""] = owner.split("-");
  return isAlive(Number(pid)) && startTimeOf(Number(pid)) === startTime;
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

/**
 * Field 22 of /proc/PID/stat tells a process from a later one with the same number; where there is no /proc, nothing does.
 * A process that has ended and was not waited for still has a number, and holds nothing.
 */
function startTimeOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "0");
  } catch {
    return "0";
  }
}
