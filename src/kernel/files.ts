import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Problem } from "./problem.ts";
import { isProcessAlive, thisMachine, thisProcess } from "./process.ts";
import { clean, shellQuote } from "./text.ts";
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

/** Twice the size of our largest files: a journal that was put aside, a policy with everything that it imports. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a regular file of at most this size; undefined: it is absent. If a pipe, a device or an endless file is
 * there instead, it throws a problem and does not wait. A process reads a file again only if it has changed, so nobody
 * may write into the bytes.
 */
export function readIfThere(file: string, maximumBytes: number = MAXIMUM_BYTES): Buffer | undefined {
  const known = findReading(file);
  if (known !== undefined) {
    refuseSize(file, known.length, maximumBytes);
    trace("read", () => `${file}: unchanged`);
    return known;
  }
  const fd = openRegular(file);
  if (fd === undefined) {
    trace("read", () => `${file}: it is not there`);
    return undefined;
  }
  try {
    const stat = fs.fstatSync(fd, { bigint: true });
    refuseSize(file, Number(stat.size), maximumBytes);
    const bytes = readUpTo(fd, maximumBytes);
    if (bytes === "too-large") throw tooLarge(file, `more than ${maximumBytes}`, maximumBytes);
    trace("read", () => `${file}: ${bytes.length} bytes`);
    keepReading(file, stat, bytes);
    return bytes;
  } catch (error) {
    // A file of /proc whose content isn't available yet.
    throw hasCode(error, "EAGAIN") ? notRegular(file) : error;
  } finally {
    fs.closeSync(fd);
  }
}

const readings = new Map<string, { stamp: string; bytes: Buffer }>();
let room = 32 * 1024 * 1024;

function findReading(file: string): Buffer | undefined {
  const known = readings.get(file);
  if (known === undefined) return undefined;
  try {
    if (stampOf(fs.statSync(file, { bigint: true })) === known.stamp) return known.bytes;
  } catch {
    // Opening it says what is there now.
  }
  readings.delete(file);
  room += known.bytes.length;
  return undefined;
}

/** Not of a file that changed a moment ago, since its next change could have the same time, nor of one without a true size. */
function keepReading(file: string, stat: fs.BigIntStats, bytes: Buffer): void {
  const isFresh = Date.now() - Number(stat.ctimeMs) < COARSEST_TIME_MS;
  if (isFresh || bytes.length !== Number(stat.size) || bytes.length > room) return;
  room -= bytes.length;
  readings.set(file, { stamp: stampOf(stat), bytes });
}

/** File systems note times in steps of at most this length (FAT). */
const COARSEST_TIME_MS = 2000;

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: fs.BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

const PIECE = 64 * 1024;

/** Everything in an open file. Its announced size may be wrong: files of /proc say 0, and some of them have no end. */
export function readUpTo(fd: number, maximumBytes: number): Buffer | "too-large" {
  const announced = fs.fstatSync(fd).size;
  const pieces: Buffer[] = [];
  for (let total = 0; ; ) {
    const size = total < announced ? announced - total + 1 : PIECE;
    const piece = Buffer.allocUnsafe(size);
    const count = fs.readSync(fd, piece, 0, piece.length, null);
    if (count === 0) return pieces.length === 1 ? (pieces[0] ?? piece) : Buffer.concat(pieces);
    total += count;
    if (total > maximumBytes) return "too-large";
    pieces.push(piece.subarray(0, count));
  }
}

/** Opens a regular file, for reading unless `flags` say otherwise; undefined: it is absent. */
export function openRegular(file: string, flags: number = fs.constants.O_RDONLY, mode?: number): number | undefined {
  const fd = openIfThere(file, flags, mode);
  if (fd === undefined || fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw notRegular(file);
}

export function refuseSize(file: string, size: number, maximum: number): void {
  if (size > maximum) throw tooLarge(file, String(size), maximum);
}

function tooLarge(file: string, size: string, maximum: number): Problem {
  return new Problem("DRWN_FILE_TOO_LARGE", `${clean(file)} has ${size} bytes; at most ${maximum} are read`);
}

function openIfThere(file: string, flags: number, mode: number | undefined): number | undefined {
  try {
    // So that it doesn't wait for a writer if the file is a named pipe.
    return fs.openSync(file, flags | fs.constants.O_NONBLOCK, mode);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    // A socket, a pipe without its other end, a folder opened for writing, a link that leads nowhere.
    if (["ENXIO", "EISDIR", "ELOOP"].some((code) => hasCode(error, code))) throw notRegular(file);
    throw error;
  }
}

function notRegular(file: string): Problem {
  return new Problem("DRWN_FILE_INVALID", `${clean(file)} is not a regular file`, {
    hint: "move it away, then run the command again",
  });
}

/** False if the sources themselves run, as in the tests. */
export function isBuilt(): boolean {
  return !import.meta.filename.endsWith(".ts");
}

/** A file that comes with drwn, by its path in the package. The calling code may be bundled anywhere. */
export function packageFile(relative: string): string {
  return path.join(packageRoot(), relative);
}

function packageRoot(): string {
  const own = path.dirname(import.meta.filename);
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "package.json"))) return folder;
    if (folder === path.dirname(folder)) {
      // It was replaced or removed while this process ran, or only a part of it was copied.
      throw new Problem("DRWN_FILE_INVALID", `drwn's own package around ${clean(own)} isn't whole`, {
        hint: "install drwn again, then run the command again",
      });
    }
  }
}

/** Errors of the system that its user can do something about, each with a hint. */
const REFUSALS: Readonly<Record<string, string>> = {
  EAGAIN: "name a plain file",
  EDQUOT: "make room, then run the command again",
  EFBIG: "make room, then run the command again",
  EIO: "see what is wrong with the disk, then run the command again",
  EISDIR: "name a file, not a folder",
  ELOOP: "see where the links on its path lead",
  EMFILE: "let a process open more files, then run the command again",
  ENAMETOOLONG: "name a shorter path",
  ENFILE: "end what keeps so many files open, then run the command again",
  ENOSPC: "make room, then run the command again",
  ENOTDIR: "see which part of its path isn't a folder",
  ENXIO: "name a plain file",
  EROFS: "have its disk mounted for writing, then run the command again",
};

const TEMPORARY_NAMES = new RegExp(`/${TEMPORARY.replaceAll(".", "\\.")}[^/']*`, "gu");

/** The problem for a refusal of the file system; undefined: it is something else, and our bug. */
export function toFileSystemProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  if (error.code === "EACCES" || error.code === "EPERM") return deniedProblem(error);
  const hint = REFUSALS[String(error.code)];
  if (hint === undefined) return undefined;
  return new Problem("DRWN_TARGET_UNWRITABLE", clean(withoutTemporaryNames(error.message)), { hint, cause: error });
}

/** What a person does about a place whose mode or owner refuses them. Nobody takes over what isn't in a folder of theirs. */
export function adviseAccess(place: string): string {
  const own = process.getuid?.();
  const [owner, around] = [place, path.dirname(place)].map((one) => fs.lstatSync(one).uid);
  const again = "and run the command again";
  if (own === undefined || owner === own)
    return `see who took the right away, then: chmod u+rwX ${shellQuote(place)}, ${again}`;
  const why = `see why it belongs to ${owner === 0 ? "root" : `the user ${owner}`}`;
  return around === own
    ? `${why}, then: sudo chown ${own} ${shellQuote(place)}, ${again}`
    : `${why}, or name another place`;
}

/**
 * Refuses somebody else's file that nobody may write to: drwn puts another file in its place, which doesn't respect the
 * mode.
 */
export function requireWritable(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o222) !== 0) return;
  throw new Problem("DRWN_TARGET_UNWRITABLE", `${clean(file)} is read-only`, {
    hint: `chmod u+w ${shellQuote(file)}, then run the command again`,
  });
}

/** Names the place that refuses: the first folder on the path that can't be entered, else the path, or what holds it. */
function deniedProblem(error: Error): Problem {
  const { syscall, ...about } = error as NodeJS.ErrnoException;
  const file = withoutTemporaryNames(about.path ?? /'([^']*)'/u.exec(error.message)?.[1] ?? "");
  const place = file === "" ? undefined : refusingPlace(file);
  if (place === undefined) {
    return new Problem("DRWN_TARGET_UNWRITABLE", clean(error.message), { hint: "see who may do that", cause: error });
  }
  const how = !mayUse(place, fs.constants.R_OK) ? "can't be read" : "can't be changed";
  const [hint, details] = [adviseAccess(place), file === place ? [] : [`${syscall}: ${clean(file)}`]];
  return new Problem("DRWN_TARGET_UNWRITABLE", `${clean(place)} ${how}`, { hint, details, cause: error });
}

function refusingPlace(file: string): string | undefined {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (fs.existsSync(folder)) {
      if (!mayUse(folder, fs.constants.X_OK)) return folder;
      return fs.existsSync(file) && !mayUse(file, fs.constants.R_OK | fs.constants.W_OK) ? file : folder;
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

function mayUse(place: string, mode: number): boolean {
  try {
    fs.accessSync(place, mode);
    return true;
  } catch {
    return false;
  }
}

/** A temporary file exists only for a moment, and its folder is what refuses, so the message names the folder. */
function withoutTemporaryNames(message: string): string {
  return message.replace(TEMPORARY_NAMES, "");
}
