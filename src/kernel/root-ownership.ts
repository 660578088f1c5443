import fs from "node:fs";
import path from "node:path";
import { hasCode, lstatIfThere } from "./files.ts";

/** A file that somebody other than root can change, and why. */
export interface NotOwnedByRoot {
  file: string;
  /** As the end of a sentence about it. */
  fault: string;
}

/**
 * The first of the file, the folders above it and what they lead to that somebody other than root can change; null:
 * none. A file that doesn't exist yet will be root's when root makes it.
 */
export function findNotOwnedByRoot(file: string): NotOwnedByRoot | null {
  const real = fs.existsSync(file) ? fs.realpathSync(file) : file;
  for (const at of new Set([...withFoldersAbove(file), ...withFoldersAbove(real)])) {
    const stat = lstatIfThere(at);
    const fault = stat === undefined ? undefined : faultOf(stat);
    if (fault !== undefined) return { file: at, fault };
  }
  return null;
}

/** The same, but it also refuses links, since whoever made one could lead root elsewhere. */
export function findNotOwnedByRootOrLinked(file: string): NotOwnedByRoot | null {
  const link = withFoldersAbove(file).find((at) => lstatIfThere(at)?.isSymbolicLink() === true);
  return link === undefined ? findNotOwnedByRoot(file) : { file: link, fault: "is a symbolic link" };
}

/** The first such file inside the folder. Nobody else can change a folder that cannot be read. */
export function findNotOwnedByRootBelow(folder: string): NotOwnedByRoot | null {
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const stat = lstatIfThere(file);
    if (stat === undefined) continue;
    const fault = stat.isSymbolicLink() ? "is a symbolic link" : faultOf(stat);
    if (fault !== undefined) return { file, fault };
    const inside = stat.isDirectory() ? findNotOwnedByRootBelow(file) : null;
    if (inside !== null) return inside;
  }
  return null;
}

/**
 * The first of the file and the folders above it that a user other than root cannot read; null: users can read all of
 * them.
 */
export function findUnreadable(file: string): string | null {
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

/** For a link only the owner counts: its permissions mean nothing. */
function faultOf(stat: fs.Stats): string | undefined {
  if (stat.uid !== 0) return `belongs to another user (${stat.uid})`;
  return stat.isSymbolicLink() || (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
}

function withFoldersAbove(file: string): string[] {
  const above = [file];
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) above.push(path.dirname(at));
  return above.reverse();
}
