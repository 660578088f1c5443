import fs from "node:fs";
import { hasCode } from "./atomic.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";
import { trace } from "./trace.ts";

/** Twice the size of our largest files: a journal that was put aside, a policy with everything that it imports. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a regular file of at most this size; undefined: it is absent. If a pipe, a device or an endless file is
 * there instead, it throws a problem and does not wait.
 */
export function readIfThere(file: string, maximumBytes: number = MAXIMUM_BYTES): Buffer | undefined {
  const fd = openRegular(file);
  if (fd === undefined) {
    trace("read", () => `${file}: it is not there`);
    return undefined;
  }
  try {
    refuseSize(file, fs.fstatSync(fd).size, maximumBytes);
    const bytes = readUpTo(fd, maximumBytes);
    if (bytes === "too-large") throw tooLarge(file, `more than ${maximumBytes}`, maximumBytes);
    trace("read", () => `${file}: ${bytes.length} bytes`);
    return bytes;
  } catch (error) {
    // A file of /proc whose content isn't available yet.
    throw hasCode(error, "EAGAIN") ? notRegular(file) : error;
  } finally {
    fs.closeSync(fd);
  }
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
