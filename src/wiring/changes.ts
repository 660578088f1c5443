import fs from "node:fs";
import { hasCode, modeAt, writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { clean } from "../kernel/text.ts";
import { trace } from "../kernel/trace.ts";

/** One file edit that `write` makes. */
export interface Change {
  action: "create" | "update" | "remove";
  /** Absolute. */
  path: string;
  /** What it is to a person: "PreToolUse hook entry", "skill review-style". */
  what: string;
  /** The bytes on disk when this was planned; null: no file. */
  before: Buffer | null;
  /** The new bytes; null: no file, nor, if it is gone already, the empty folders around it. */
  after: Buffer | null;
  /** What the file's mode must be; undefined: 0600 for a new file, and an existing one keeps its own. */
  mode?: number;
  /** Folders that drwn had created for the file, deepest first: removed with it when nothing else is in them. */
  folders?: readonly string[];
}

interface FileRequest {
  path: string;
  after: Buffer | null;
  what: string;
  mode?: number;
}

/** What has to be done for a file to have these bytes (null: to be gone) and this mode; undefined: nothing. */
export function planFile({ path, after, what, mode }: FileRequest): Change | undefined {
  const before = readTarget(path);
  const rest = { path, what, before, after, ...(mode === undefined ? {} : { mode }) };
  if (before === null) return after === null ? undefined : { action: "create", ...rest };
  if (after === null) return { action: "remove", ...rest };
  if (before.equals(after) && (mode === undefined || (fs.statSync(path).mode & 0o777) === modeAt(path, mode)))
    return undefined;
  return { action: "update", ...rest };
}

/**
 * Makes the changes in their order. All are compared with the disk before the first, and each again at its turn: a file that
 * somebody else has changed since the planning is left as it is, and stops the rest. The second change of a file is one of what
 * the first makes of it.
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

/** The bytes of a file that may be written to; null when there is none. */
export function readTarget(path: string): Buffer | null {
  try {
    if (fs.statSync(path).isFile()) return readIfThere(path) ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null;
    throw asRefused(path, error);
  }
  throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(path)} is not a regular file`, {
    hint: "move it away, then run the command again",
  });
}

/**
 * Refuses a file of somebody else's that nobody is to write to: putting another one in its place, as drwn does, would not ask
 * its mode.
 */
export function requireWritable(path: string): void {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o222) !== 0) return;
  throw new Problem("DRWN_TARGET_UNWRITABLE", `${clean(path)} is read-only`, {
    hint: `chmod u+w ${clean(path)}, then run the command again`,
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

/** True when the folder is gone. A link to a folder isn't a folder. */
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

/** A failure of the file system as a problem; anything else as it is. */
export function asRefused(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return error;
  return new Problem("DRWN_TARGET_UNWRITABLE", `${clean(path)}: ${clean(error.message)}`, { cause: error });
}
