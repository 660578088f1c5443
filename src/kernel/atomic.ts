import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isProcessAlive, thisMachine, thisProcess } from "./owner.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";
import { trace } from "./trace.ts";

/** Marks our temporary files, so that drwn recognises and sweeps leftovers of killed processes. */
export const TEMPORARY = ".drwn-tmp-";
/**
 * Longer than any command runs. drwn cannot tell whether another machine's process lives, so it goes by the age of its
 * files.
 */
export const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;

/** The folder below which everybody may read; null: there is none. */
let shared: string | null = null;

/** From now on everybody may read what this process writes below the folder. */
export function shareBelow(folder: string): void {
  shared = folder;
}

/** The mode that this file gets. */
export function modeAt(file: string, mode: number): number {
  return shared !== null && file.startsWith(`${shared}/`) ? mode | 0o044 : mode;
}

/** A name beside the file that contains its owning process. */
export function temporaryName(file: string): string {
  const name = `${TEMPORARY}${thisProcess()}-${thisMachine()}-${randomBytes(6).toString("hex")}`;
  return path.join(path.dirname(file), name);
}

/**
 * Writes a file whole or not at all: it writes and syncs a temporary file beside it and renames that over it. `mode` is
 * for a new file; an existing file keeps its own.
 */
export function writeAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  putStaged(stageFile(file, content, mode));
}

/** A new content for a file, and a note to make about it. */
export interface NotedEdit {
  file: string;
  content: string;
  /** For a new file. */
  mode: number;
  note: () => void;
}

/**
 * Like `writeAtomic`. It makes the note after writing everything and before changing the file, so that a full disk
 * leaves neither.
 */
export function writeNoted({ file, content, mode, note }: NotedEdit): void {
  const staged = stageFile(file, content, mode);
  try {
    note();
  } catch (error) {
    dropStaged(staged);
    throw error;
  }
  putStaged(staged);
}

/** Content beside its file, ready to replace it. */
export interface StagedFile {
  file: string;
  temporary: string;
}

/**
 * Writes the content beside the file, without changing the file. It also sweeps what killed processes left in the
 * folder.
 */
export function stageFile(file: string, content: string | Uint8Array, mode = 0o600): StagedFile {
  const folder = path.dirname(file);
  makeFolders(folder);
  sweepTemporaries(folder);
  const temporary = temporaryName(file);
  const existing = fs.statSync(file, { throwIfNoEntry: false });
  try {
    const fd = fs.openSync(temporary, "wx", mode);
    try {
      fs.writeFileSync(fd, content);
      fs.fchmodSync(fd, modeAt(file, existing === undefined ? mode : existing.mode & 0o777));
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    dropStaged({ file, temporary });
    throw naming(file, error);
  }
  return { file, temporary };
}

/** Adds the file's name to an error about an open file, which doesn't have it. */
function naming(file: string, error: unknown): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error)) error.message += ` '${file}'`;
  return error;
}

/**
 * Makes the folder and the missing ones above it. Node's own way tries for ever where folders cannot be made, as in
 * /proc.
 */
export function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let place = folder; !fs.existsSync(place); place = path.dirname(place)) missing.unshift(place);
  for (const place of missing) {
    try {
      fs.mkdirSync(place);
    } catch (error) {
      if (!hasCode(error, "EEXIST") && !hasCode(error, "ENOENT")) throw error;
      if (fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) throw notMade(place, error);
    }
  }
}

function notMade(place: string, cause: unknown): Problem {
  return new Problem("DRWN_TARGET_UNWRITABLE", `no folder can be made at ${clean(place)}`, {
    hint: "name another place",
    cause,
  });
}

export function putStaged(staged: StagedFile): void {
  try {
    fs.renameSync(staged.temporary, staged.file);
  } catch (error) {
    dropStaged(staged);
    throw error;
  }
  syncFolder(path.dirname(staged.file));
  trace("write", () => staged.file);
}

export function dropStaged({ temporary }: StagedFile): void {
  fs.rmSync(temporary, { force: true });
}

/** Creates the file whole or not at all. False: it exists already. */
export function createAtomic(file: string, content: string | Uint8Array, mode = 0o600): boolean {
  const staged = stageFile(file, content, mode);
  try {
    // Unlike rename(), link() doesn't replace a file.
    fs.linkSync(staged.temporary, file);
    trace("write", () => `${file}: new`);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    dropStaged(staged);
    syncFolder(path.dirname(file));
  }
}

/** Makes a rename in this folder survive a power loss. */
function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes what killed processes left in `folder`. */
export function sweepTemporaries(folder: string): void {
  for (const name of listFolder(folder)) {
    if (name.startsWith(TEMPORARY) && isLeftover(folder, name)) removeTree(path.join(folder, name));
  }
}

function isLeftover(folder: string, name: string): boolean {
  const [pid = "", startTime = "", machine] = name.slice(TEMPORARY.length).split("-");
  if (machine === thisMachine()) return !isProcessAlive(pid, startTime);
  const stat = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > FOREIGN_AGE_MS;
}

/** Removes a tree, even with folders that are read-only, as in the store. */
export function removeTree(tree: string): void {
  trace("remove", () => tree);
  unlockFolders(tree);
  fs.rmSync(tree, { recursive: true, force: true });
}

/**
 * Does the same as `removeTree` for a folder into which other processes may put files meanwhile. They find it by its
 * path, so this moves it to another one first. If the process is killed in between, the rest is swept like any
 * temporary file of the parent folder.
 */
export function removeTreeInUse(tree: string): void {
  const aside = temporaryName(tree);
  try {
    fs.renameSync(tree, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  removeTree(aside);
}

/**
 * Unlocks each folder before its content, since a folder may be closed even to its owner. Others may remove some of it
 * meanwhile.
 */
export function unlockFolders(folder: string): void {
  try {
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
    fs.chmodSync(folder, 0o700);
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) unlockFolders(path.join(folder, entry.name));
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** The sorted names in a folder; empty if it is absent. */
export function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Like `lstat`; undefined: nothing has that name, or no path leads there. */
export function lstatIfThere(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
