import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Whether the path leads to a file that this user may run. */
export function isProgram(file: string): boolean {
  try {
    // Most folders of a PATH don't have it, and an error takes long to make.
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the system looks for programs if PATH isn't set. */
const DEFAULT_FOLDERS = "/usr/bin:/bin";

/** Whether a folder of this PATH has the program. */
export function isOnPath(program: string, search?: string): boolean {
  return findProgram(program, search) !== undefined;
}

/** The first such program on this PATH. A relative folder would depend on where drwn is started. */
export function findProgram(program: string, search: string = DEFAULT_FOLDERS): string | undefined {
  const folders = search.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, program)).find(isProgram);
}

/** Kills a program that was started as the leader of a group, with what it started: npm's launchers start the program as a child. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** This process as named in its locks and temporary files: id and start time. */
export function thisProcess(): string {
  own ??= `${process.pid}-${startTimeOf(process.pid)}`;
  return own;
}

let own: string | undefined;

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
