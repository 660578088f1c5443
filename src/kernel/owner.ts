import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";

/** A process as the names of its locks and temporary files have it: number and start time. */
export function thisProcess(): string {
  return `${process.pid}-${startTimeOf(process.pid)}`;
}

/** Whether the process of this number that started then is still there. */
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
 * Tells this machine, or container, from others that share a folder with it: they count their processes on their own, and
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

/** Where processes are numbered anew, as in a container, this differs; it is the same on a machine after it has started again. */
function processSpace(): string {
  try {
    return fs.readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
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
