import fs from "node:fs";
import path from "node:path";
import { hasCode, lstatIfThere } from "./atomic.ts";

/** What somebody else than root can change, and how. */
export interface NotRoots {
  file: string;
  /** As the end of a sentence about it. */
  fault: string;
}

/**
 * The first of the file, every folder above it and what they lead to, that others than root can change; null: none. What is not there
 * yet is root's once root makes it.
 */
export function findNotRoots(file: string): NotRoots | null {
  const real = fs.existsSync(file) ? fs.realpathSync(file) : file;
  for (const at of new Set([...withFoldersAbove(file), ...withFoldersAbove(real)])) {
    const stat = lstatIfThere(at);
    const fault = stat === undefined ? undefined : faultOf(stat);
    if (fault !== undefined) return { file: at, fault };
  }
  return null;
}

/** The same, where links are not taken: whoever made one may lead root elsewhere. */
export function findNotRootsOwn(file: string): NotRoots | null {
  const link = withFoldersAbove(file).find((at) => lstatIfThere(at)?.isSymbolicLink() === true);
  return link === undefined ? findNotRoots(file) : { file: link, fault: "is a symbolic link" };
}

/** The first of all that is in the folder. What may not be looked into is nobody else's to change. */
export function findNotRootsWithin(folder: string): NotRoots | null {
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const stat = lstatIfThere(file);
    if (stat === undefined) continue;
    const fault = stat.isSymbolicLink() ? "is a symbolic link" : faultOf(stat);
    if (fault !== undefined) return { file, fault };
    const inside = stat.isDirectory() ? findNotRootsWithin(file) : null;
    if (inside !== null) return inside;
  }
  return null;
}

/** The first of the file and every folder above it that a user who isn't root can't read; null: all can. */
export function findClosed(file: string): string | null {
  const isClosed = (at: string) => {
    const mode = lstatIfThere(at)?.mode ?? 0;
    const needed = at === file ? 0o004 : 0o001;
    return (mode & needed) === 0;
  };
  return withFoldersAbove(file).find(isClosed) ?? null;
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR"].some((code) => hasCode(error, code))) return [];
    throw error;
  }
}

/** The rights of a link say nothing: what counts is whose it is. */
function faultOf(stat: fs.Stats): string | undefined {
  if (stat.uid !== 0) return `belongs to another user (${stat.uid})`;
  return stat.isSymbolicLink() || (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
}

function withFoldersAbove(file: string): string[] {
  const above = [file];
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) above.push(path.dirname(at));
  return above.reverse();
}
