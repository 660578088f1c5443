import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";

/** This process as named in its locks and temporary files: id and start time. */
export function thisProcess(): string {
  return `${process.pid}-${startTimeOf(process.pid)}`;
}

/** Whether the process with this id and start time is still alive. */
export function isProcessAlive(pid: string, startTime: string): boolean {
  return isAlive(Number(pid)) && startTimeOf(Number(pid)) === startTime;
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Tells this machine or container apart from others that share a folder with it: each numbers its own processes, and
 * some have the same name.
 */
export function thisMachine(): string {
  const facts = [os.hostname(), readIfAny("/etc/machine-id"), processSpace()];
  return createHash("sha256").update(facts.join("\0")).digest("hex").slice(0, 12);
}

function readIfAny(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Differs in each container, since it numbers its own processes; stays the same when a machine restarts. */
function processSpace(): string {
  try {
    return fs.readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * Field 22 of /proc/PID/stat tells a process apart from a later one with the same id; without /proc, nothing does. A
 * process that has ended but that its parent hasn't waited for still has an id, and holds nothing.
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
