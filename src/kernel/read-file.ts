import fs from "node:fs";
import { hasCode } from "./atomic.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";
import { trace } from "./trace.ts";

/** Twice what the largest file of ours ever has: a journal that was put aside, a policy with everything that it imports. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a regular file of at most this size; undefined when it is absent. A pipe, a device or a file without end that lies
 * in its place is a problem, and is not waited for.
 */
export function readIfThere(file: string, maximumBytes: number = MAXIMUM_BYTES, room?: Room): Buffer | undefined {
  const fd = openRegular(file);
  if (fd === undefined) {
    trace("read", () => `${file}: it is not there`);
    return undefined;
  }
  try {
    refuseSize(file, fs.fstatSync(fd).size, maximumBytes);
    const bytes = readUpTo(fd, maximumBytes, room);
    if (bytes === "too-large") throw tooLarge(file, `more than ${maximumBytes}`, maximumBytes);
    trace("read", () => `${file}: ${bytes.length} bytes`);
    return bytes;
  } catch (error) {
    // A file of /proc that would have to be waited for.
    throw hasCode(error, "EAGAIN") ? notRegular(file) : error;
  } finally {
    fs.closeSync(fd);
  }
}

const PIECE = 64 * 1024;

/** Takes one file after the other: to have new memory for each takes the system twice as long as to read them. */
export class Room {
  #bytes = Buffer.alloc(0);

  take(size: number): Buffer {
    if (this.#bytes.length < size) this.#bytes = Buffer.allocUnsafeSlow(size + Math.ceil(size / 8));
    return this.#bytes.subarray(0, size);
  }
}

/** All that an open file holds. Its size may be a lie: files of /proc say 0, and some of them have no end. */
export function readUpTo(fd: number, maximumBytes: number, room?: Room): Buffer | "too-large" {
  const announced = fs.fstatSync(fd).size;
  const pieces: Buffer[] = [];
  for (let total = 0; ; ) {
    const size = total < announced ? announced - total + 1 : PIECE;
    const piece = total === 0 && room !== undefined ? room.take(size) : Buffer.allocUnsafe(size);
    const count = fs.readSync(fd, piece, 0, piece.length, null);
    if (count === 0) return pieces.length === 1 ? (pieces[0] ?? piece) : Buffer.concat(pieces);
    total += count;
    if (total > maximumBytes) return "too-large";
    pieces.push(piece.subarray(0, count));
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
  if (size > maximum) throw tooLarge(file, String(size), maximum);
}

function tooLarge(file: string, size: string, maximum: number): Problem {
  return new Problem("DRWN_FILE_TOO_LARGE", `${clean(file)} has ${size} bytes; at most ${maximum} are read`);
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
