import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { Script } from "node:vm";
import { CODE_START, type CodeOffsets, LARGEST_CODE_CACHE, MARK_BYTES } from "../../contract/code-cache.ts";

/** An open file of cached code. */
export interface CodeCache {
  fd: number;
  size: number;
  offsets: CodeOffsets;
  /** Buffers that are used again for each shard, since V8 collects garbage after a megabyte of buffers. */
  room: Uint8Array;
  piece: Uint8Array;
}

const END_OF_LINE = 10;
/** How much of a copy is in memory at once: each further page that a process uses costs a call a few microseconds. */
const PIECE = 128 * 1024;

/** Null: there is no such file for this Node, or it is refused. */
export function openCodeCache(file: string, refuse?: (stat: Stats) => string | undefined): CodeCache | null {
  let fd = -1;
  try {
    const links = refuse === undefined ? 0 : constants.O_NOFOLLOW;
    // Non-blocking: a pipe in place of the file must not hold up the hook.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | links);
    const stat = fstatSync(fd);
    const { size } = stat;
    if (size > LARGEST_CODE_CACHE || refuse?.(stat) !== undefined) throw new Error("too large, or another's");
    const head = new Uint8Array(CODE_START);
    readSync(fd, head, 0, CODE_START, 0);
    const end = head.indexOf(END_OF_LINE, MARK_BYTES);
    if (latin1Slice.call(head, MARK_BYTES, end) !== lineOfNode()) throw new Error("of another Node");
    const offsets = latin1Slice.call(head, end + 1, head.indexOf(END_OF_LINE, end + 1));
    return { fd, size, offsets: JSON.parse(offsets), room: new Uint8Array(0), piece: new Uint8Array(PIECE) };
  } catch {
    if (fd >= 0) closeSync(fd);
    return null;
  }
}

export function closeCodeCache(cache: CodeCache | null): void {
  if (cache !== null) closeSync(cache.fd);
}

/**
 * The program or shard with its cached code. V8 trusts what it is given: undefined if the code isn't whole, or isn't of
 * exactly this text.
 */
export function takeCached(
  cache: CodeCache | null,
  name: string,
  { bytes, text }: { bytes: Uint8Array /** The bytes, decoded. */; text: string },
): Script | undefined {
  try {
    // The places in the file are unchecked.
    const place = cache?.offsets[name];
    if (cache === null || place === undefined) return undefined;
    const [start, length] = place;
    const isPlace = typeof start === "number" && typeof length === "number" && start >= CODE_START;
    if (!isPlace || start + 2 * length + bytes.length > cache.size) return undefined;
    if (cache.room.length < length) cache.room = new Uint8Array(length);
    const code = cache.room.subarray(0, readSync(cache.fd, cache.room, 0, length, start));
    const isWhole = holds(cache, start + length, code) && holds(cache, start + 2 * length, bytes);
    return isWhole ? compile(name, text, code) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether these bytes are in the file at this place. */
function holds({ fd, piece }: CodeCache, start: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const wanted = bytes.subarray(at, at + PIECE);
    const read = readSync(fd, piece, 0, wanted.length, start + at);
    if (compare(piece.subarray(0, read), wanted) !== 0) return false;
  }
  return true;
}

const { compare } = Buffer;
const { latin1Slice } = Buffer.prototype;

/**
 * A hook program, as Node's own loader has V8 compile it, or a shard. The name in stack traces is no path, with which
 * the cached code would differ from home to home.
 */
export function compile(name: string, text: string, cachedData?: Uint8Array): Script {
  if (!name.startsWith("hook")) return new Script(text, { filename: "drwn-policies", cachedData });
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
  return new Script(wrapped, { filename: "drwn-hook", cachedData });
}

/**
 * Identifies the build of Node. V8 compares its version and flags, but before Node 22 it doesn't tell apart two builds
 * of one version.
 */
export function lineOfNode(): string {
  return `${process.version} ${process.arch} ${JSON.stringify(process.config.variables)}`;
}
