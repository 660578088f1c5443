import fs from "node:fs";
import { hasCode } from "./atomic.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";

/** Twice what the largest file of ours ever has: a journal that was put aside, a policy with all that it imports. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a regular file of at most this size; undefined when it is absent. A pipe, a device or a file without end that lies
 * in its place is a problem, and is not waited for.
 */
export function readIfThere(file: string, maximumBytes: number = MAXIMUM_BYTES): Buffer | undefined {
  const fd = openRegular(file);
  if (fd === undefined) return undefined;
  try {
    refuseSize(file, fs.fstatSync(fd).size, maximumBytes);
    const bytes = fs.readFileSync(fd);
    refuseSize(file, bytes.length, maximumBytes);
    return bytes;
  } finally {
    fs.closeSync(fd);
  }
}

/** A regular file, opened to be read unless flags say otherwise; undefined when it is absent. */
export function openRegular(file: string, flags: number = fs.constants.O_RDONLY, mode?: number): number | undefined {
  const fd = openIfThere(file, flags, mode);
  if (fd === undefined || fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw notRegular(file);
}

export function refuseSize(file: string, size: number, maximum: number): void {
  if (size <= maximum) return;
  throw new Problem("DRWN_FILE_TOO_LARGE", `${clean(file)} has ${size} bytes; at most ${maximum} are read`);
}

function openIfThere(file: string, flags: number, mode: number | undefined): number | undefined {
  try {
    // Not to wait for a writer, should it be a named pipe.
    return fs.openSync(file, flags | fs.constants.O_NONBLOCK, mode);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    // A socket, a pipe without its other end, a folder that was to be written to, a link that leads nowhere.
    if (["ENXIO", "EISDIR", "ELOOP"].some((code) => hasCode(error, code))) throw notRegular(file);
    throw error;
  }
}

function notRegular(file: string): Problem {
  return new Problem("DRWN_FILE_INVALID", `${clean(file)} is not a regular file`, {
    hint: "move it away, then run the command again",
  });
}
