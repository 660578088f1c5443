import fs from "node:fs";
import { adviseAccess, hasCode, modeAt, readIfThere, toFileSystemProblem, writeAtomic } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { trace } from "../kernel/trace.ts";

/** One file edit that `write` makes. */
export interface Change {
  action: "create" | "update" | "remove";
  /** Absolute. */
  path: string;
  /** What it is, for a person: "PreToolUse hook entry", "skill review-style". */
  what: string;
  /** The bytes on disk at the time of planning; null: no file. */
  before: Buffer | null;
  /** The new bytes; null: no file. If the file is gone already, the empty folders around it go. */
  after: Buffer | null;
  /** The mode that the file must have; undefined: 0600 for a new file, and an existing one keeps its own. */
  mode?: number;
  /** Folders that drwn created for the file, deepest first. They go with it if nothing else is in them. */
  folders?: readonly string[];
}

interface FileRequest {
  path: string;
  after: Buffer | null;
  what: string;
  mode?: number;
}

/** The change that gives a file these bytes (null: removes it) and this mode; undefined: there is nothing to do. */
export function planFile({ path, after, what, mode }: FileRequest): Change | undefined {
  const before = readTarget(path);
  const rest = { path, what, before, after, ...(mode === undefined ? {} : { mode }) };
  if (before === null) return after === null ? undefined : { action: "create", ...rest };
  if (after === null) return { action: "remove", ...rest };
  if (before.equals(after) && (mode === undefined || (fs.statSync(path).mode & 0o777) === modeAt(path, mode)))
    return undefined;
  return { action: "update", ...rest };
}

/** Whether nothing would change but that the file could be read or written by more than now. */
export function isOnlyStricter({ path, before, after, mode = 0o777 }: Change): boolean {
  return before !== null && after !== null && before.equals(after) && (fs.statSync(path).mode & 0o777 & ~mode) === 0;
}

/**
 * Makes the changes in order. It compares all of them with the disk before the first, and each again when its turn
 * comes: if somebody else has changed a file since the planning, the file stays as it is, and the rest isn't done. A
 * second change of a file builds on what the first makes of it.
 */
export function applyChanges(changes: readonly Change[]): void {
  const planned = new Map<string, Buffer | null>();
  for (const change of changes) {
    const former = planned.get(change.path);
    if (former === undefined) requireUnchanged(change);
    else if (!isSameContent(former, change.before))
      throw new Error("two changes of one file: the second was planned without the first");
    planned.set(change.path, change.after);
  }
  for (const change of changes) {
    requireUnchanged(change);
    try {
      applyChange(change);
    } catch (error) {
      throw asRefused(change.path, error);
    }
  }
}

/** The bytes of a file that may be written to; null: there is none. */
export function readTarget(path: string, read: (path: string) => Buffer | undefined = readIfThere): Buffer | null {
  try {
    if (fs.statSync(path).isFile()) return read(path) ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null;
    if (hasCode(error, "EACCES") && fs.existsSync(path)) {
      throw new Problem("DRWN_TARGET_UNWRITABLE", `${clean(path)} can't be read`, {
        hint: adviseAccess(path),
      });
    }
    throw asRefused(path, error);
  }
  throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(path)} is not a regular file`, {
    hint: "move it away, then run the command again",
  });
}

function requireUnchanged({ path, before }: Change): void {
  const actual = readTarget(path);
  if (isSameContent(actual, before)) return;
  throw new Problem("DRWN_TARGET_CHANGED", `${clean(path)} changed while drwn was at work`, {
    hint: "run the command again",
  });
}

function isSameContent(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function applyChange({ path, before, after, mode, folders = [] }: Change): void {
  if (after !== null) {
    writeAtomic(path, after, mode);
    if (mode !== undefined) fs.chmodSync(path, modeAt(path, mode));
    return;
  }
  if (before !== null) {
    fs.rmSync(path);
    trace("remove", () => path);
  }
  for (const folder of folders) {
    if (!removeIfEmpty(folder)) return;
  }
}

/** True if the folder is gone. A link to a folder isn't a folder. */
function removeIfEmpty(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

/** Turns a failure of the file system into a problem; returns anything else as it is. */
export function asRefused(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return error;
  if (hasCode(error, "EACCES") || hasCode(error, "EPERM")) return toFileSystemProblem(error);
  return new Problem("DRWN_TARGET_UNWRITABLE", `${clean(path)}: ${clean(error.message)}`, { cause: error });
}
