import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** Marks our temporary names, so that leftovers of a killed process are recognised and swept. */
const TEMPORARY = ".drwn-tmp-";

export function temporaryName(file: string): string {
  return path.join(path.dirname(file), `${TEMPORARY}${process.pid}-${randomBytes(6).toString("hex")}`);
}

/**
 * The file appears whole or not at all: a temporary file beside it is written, synced and renamed over it.
 * `mode` holds for a new file; an existing file keeps its own.
 */
export function writeAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = temporaryName(file);
  const existing = fs.statSync(file, { throwIfNoEntry: false });
  try {
    const fd = fs.openSync(temporary, "wx", mode);
    try {
      fs.writeFileSync(fd, content);
      fs.fchmodSync(fd, existing === undefined ? mode : existing.mode & 0o777);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(path.dirname(file));
}

/** Creates the file with this content, or returns false because it is there already. Whole or not at all. */
export function createAtomic(file: string, content: string | Uint8Array, mode = 0o600): boolean {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = temporaryName(file);
  try {
    writeAtomic(temporary, content, mode);
    // link() refuses to replace, where rename() would.
    fs.linkSync(temporary, file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
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

/** Removes what killed processes left in `folder`: temporary names whose process is gone. */
export function sweepTemporaries(folder: string): void {
  for (const name of listFolder(folder)) {
    if (!name.startsWith(TEMPORARY)) continue;
    const pid = Number(name.slice(TEMPORARY.length).split("-")[0]);
    if (!isAlive(pid)) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
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

/** The bytes of a file; undefined when it is absent. */
export function readIfThere(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
