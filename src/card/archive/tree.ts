import fs from "node:fs";
import path from "node:path";
import { hasCode, readUpTo } from "../../kernel/files.ts";
import { compareOrdinal } from "../../kernel/order.ts";

/** Something in a folder; links are not followed. */
export interface TreeEntry {
  /** Relative to the folder that was walked, with `/`. */
  path: string;
  kind: "file" | "folder" | "other";
}

interface WalkOptions {
  /** Names of entries to leave out, with everything in them. */
  skip?: (name: string) => boolean;
  /** The walk ends after this many entries, so that it doesn't read all of a huge folder. */
  maximum: number;
}

/** Everything below `folder`, in ordinal order of the names, each folder before its content; none if it is absent. */
export function walkTree(folder: string, { skip = () => false, maximum }: WalkOptions): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const walk = (below: string) => {
    for (const { name, kind } of listEntries(path.join(folder, below))) {
      if (skip(name) || entries.length >= maximum) continue;
      const relative = below === "" ? name : `${below}/${name}`;
      entries.push({ path: relative, kind });
      if (kind === "folder") walk(relative);
    }
  };
  walk("");
  return entries;
}

/** The bytes of a regular file that isn't a link; undefined if it is absent, something else, or unreadable. */
export function readPlainFile(file: string, maximumBytes: number): Buffer | "too-large" | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EACCES"].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return undefined;
    if (stat.size > maximumBytes) return "too-large";
    return readUpTo(fd, maximumBytes);
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return undefined;
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function listEntries(folder: string): { name: string; kind: TreeEntry["kind"] }[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .sort((left, right) => compareOrdinal(left.name, right.name))
      .map((entry) => ({ name: entry.name, kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other" }));
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return [];
    throw error;
  }
}
