import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createAtomic, hasCode, isAlive, readIfThere } from "./atomic.ts";
import { Problem } from "./problem.ts";

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Runs `work` while no other drwn process holds the same lock file. The lock names its owner (process and start time),
 * so the lock of a killed process is taken over at once. Waits up to 30 s for a living one.
 */
export async function withLock<T>(lockFile: string, work: () => T | Promise<T>): Promise<T> {
  const owner = `${process.pid} ${startTimeOf(process.pid)} ${randomBytes(8).toString("hex")}\n`;
  const started = Date.now();
  while (!createAtomic(lockFile, owner)) {
    if (takeOverFromDead(lockFile)) continue;
    if (Date.now() - started > PATIENCE_MS) {
      throw new Problem("DRWN_BUSY", `another drwn process holds ${lockFile}`, {
        details: [`owner: process ${readIfThere(lockFile)?.toString().split(" ")[0] ?? "unknown"}`],
        hint: "wait for it to end, then run the command again",
      });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  try {
    return await work();
  } finally {
    if (readIfThere(lockFile)?.toString() === owner) fs.rmSync(lockFile, { force: true });
  }
}

/** True when the lock's owner is gone and the lock with it. */
function takeOverFromDead(lockFile: string): boolean {
  const text = readIfThere(lockFile)?.toString();
  if (text === undefined) return true;
  const [pid = "", startTime = ""] = text.trim().split(" ");
  if (isAlive(Number(pid)) && startTimeOf(Number(pid)) === startTime) return false;
  // Renamed away first: of several that saw the dead owner, one moves the file, and it moves what it has read.
  const grave = path.join(path.dirname(lockFile), `.drwn-tmp-${process.pid}-${randomBytes(6).toString("hex")}`);
  try {
    fs.renameSync(lockFile, grave);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    throw error;
  }
  const moved = readIfThere(grave)?.toString();
  if (moved !== text && moved !== undefined) createAtomic(lockFile, moved);
  fs.rmSync(grave, { force: true });
  return true;
}

/** Field 22 of /proc/PID/stat tells a process from a later one with the same number; where there is no /proc, nothing does. */
function startTimeOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
  } catch {
    return "-";
  }
}
