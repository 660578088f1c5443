import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isProcessAlive, thisMachine, thisProcess } from "./owner.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";
import { trace } from "./trace.ts";

/** Marks our temporary names, so that leftovers of a killed process are recognised and swept. */
export const TEMPORARY = ".drwn-tmp-";
/** Older than any command gets: of another machine's process nobody here knows whether it lives. */
export const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;

/** What everybody may read; null: nothing but what is written so. */
let shared: string | null = null;

/** From here on everybody may read what this process writes below the folder. */
export function shareBelow(folder: string): void {
  shared = folder;
}

/** The mode that a file gets there. */
export function modeAt(file: string, mode: number): number {
  return shared !== null && file.startsWith(`${shared}/`) ? mode | 0o044 : mode;
}

/** A name beside the file, with the process that it belongs to. */
export function temporaryName(file: string): string {
  const name = `${TEMPORARY}${thisProcess()}-${thisMachine()}-${randomBytes(6).toString("hex")}`;
  return path.join(path.dirname(file), name);
}

/**
 * The file appears whole or not at all: a temporary file beside it is written, synced and renamed over it.
 * `mode` holds for a new file; an existing file keeps its own.
 */
export function writeAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  putStaged(stageFile(file, content, mode));
}

/** What is to become of one file, and what has to be noted of that. */
export interface NotedEdit {
  file: string;
  content: string;
  /** For a new file. */
  mode: number;
  note: () => void;
}

/** As `writeAtomic`. It is noted when all is written and nothing has changed, so that a full disk leaves neither. */
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

/** Writes all there is to write, and changes nothing. What killed processes left in the folder is swept. */
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

/** A refusal that has to do with an open file doesn't say which file that is. */
function naming(file: string, error: unknown): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error)) error.message += ` '${file}'`;
  return error;
}

/** The folder, and those above it that are missing. Node itself tries for ever where the system makes none, as in /proc. */
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

/** Creates the file with this content, or returns false because it is there already. Whole or not at all. */
export function createAtomic(file: string, content: string | Uint8Array, mode = 0o600): boolean {
  const staged = stageFile(file, content, mode);
  try {
    // link() refuses to replace, where rename() would.
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

/** Also a folder that may not be written to, as what was stored. */
export function removeTree(tree: string): void {
  trace("remove", () => tree);
  unlockFolders(tree);
  fs.rmSync(tree, { recursive: true, force: true });
}

/**
 * As `removeTree`, of a folder that other processes may put files into meanwhile. They find it by its path, so it goes to another first. What a
 * killed process leaves of that is swept as any temporary file of its folder is.
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

/** Each folder before what is in it, since a folder may be closed even to its owner. What others remove meanwhile is gone. */
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

/** Sorted names in a folder; none when it is absent. */
export function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** What has that name, without following a link; undefined when nothing has, or no path leads there. */
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
