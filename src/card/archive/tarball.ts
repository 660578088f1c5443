import { promisify } from "node:util";
import { gunzipSync, gzip, inflateRawSync } from "node:zlib";
import type { HeaderData } from "tar";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CARD_LIMITS, type CardFiles, toCardFiles } from "../files.ts";
import { checkCardPaths } from "../safe-path.ts";

const ROOT = "package/";
const GZIP_OS_BYTE = 9;
const UNKNOWN_OS = 255;

/**
 * The files as an npm package: below `package/`, sorted, without times and owners. With one version of Node, the same
 * files give the same bytes on every machine.
 */
export async function packTarball(files: CardFiles): Promise<Buffer> {
  const { Header, Pax } = await import("tar");
  const blocks: Buffer[] = [];
  for (const [path, bytes] of files) {
    const header: HeaderData = { ...FIXED, path: `${ROOT}${path}`, size: bytes.length };
    const block = Buffer.alloc(BLOCK);
    const needsMore = new Header(header).encode(block, 0);
    if (needsMore) blocks.push(new Pax({ path: `${ROOT}${path}` }).encode());
    blocks.push(block, bytes, Buffer.alloc(paddedSize(bytes.length) - bytes.length));
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  const packed = await promisify(gzip)(Buffer.concat(blocks), { level: 9 });
  packed[GZIP_OS_BYTE] = UNKNOWN_OS;
  return packed;
}

const FIXED = { type: "File", mode: 0o644, uid: 0, gid: 0, mtime: new Date("1985-10-26T08:15:00.000Z") } as const;

/**
 * The files of a card's tarball, after a check of all of it: only regular files below one `package/`, with names that
 * mean the same everywhere, within the limits, and nothing before, between or after them. Writes nothing anywhere.
 */
export async function readTarball(bytes: Uint8Array): Promise<CardFiles> {
  if (bytes.length > CARD_LIMITS.tarballBytes) {
    throw refuseTarball(`it has ${bytes.length} bytes; at most ${CARD_LIMITS.tarballBytes} are read`);
  }
  const { Header } = await import("tar");
  const archive = gunzipWhole(bytes);
  const files = new Map<string, Buffer>();
  for (const entry of readEntries(archive, (at) => new Header(archive, at))) {
    const path = pathBelowRoot(entry.path, entry.isFolder);
    if (entry.isFolder) continue;
    if (files.has(path)) throw refuseTarball("it holds a file twice", [path]);
    files.set(path, entry.bytes);
  }
  checkCardPaths(files.keys());
  return toCardFiles(files);
}

function pathBelowRoot(path: string, isFolder: boolean): string {
  if (isFolder && `${path}/`.replace(/\/+$/u, "/") === ROOT) return "";
  if (!path.startsWith(ROOT)) throw refuseTarball("it holds something outside of package/", [path]);
  const relative = path.slice(ROOT.length);
  if (isFolder) checkCardPaths([relative.replace(/\/$/u, "")]);
  return relative;
}

/** One header block, as the library reads it. */
interface TarHeader {
  cksumValid: boolean;
  path?: string | undefined;
  size?: number | undefined;
  type: string;
}

interface TarEntry {
  /** As the archive spells it. */
  path: string;
  isFolder: boolean;
  bytes: Buffer;
}

/** Types of headers that describe the entry after them. */
const EXTENDED = "ExtendedHeader";
const LONG_PATH = "NextFileHasLongPath";
/** Comments for a whole archive, as git writes them; drwn needs nothing from them. */
const GLOBAL = "GlobalExtendedHeader";
const SIZE_FIELD = { start: 124, end: 136 } as const;

/**
 * Every entry of an unpacked tar archive, in its order. Refuses anything that is neither a file nor a folder, and a
 * header that describes no entry or a second one for the same entry: readers differ in which of two names they take.
 */
function readEntries(archive: Buffer, readHeader: (at: number) => TarHeader): TarEntry[] {
  const entries: TarEntry[] = [];
  let at = 0;
  let total = 0;
  let comments = 0;
  let override: PaxFields | undefined;
  while (!isEnd(archive, at)) {
    const header = decode(() => readHeader(at));
    const body = bodyOf(archive, at, header);
    at += BLOCK + paddedSize(body.length);
    if (header.type === GLOBAL) {
      refuseGlobalPath(parsePax(body));
      comments += 1;
    } else if (header.type === EXTENDED || header.type === LONG_PATH) {
      if (override !== undefined) throw refuseTarball("two extended headers describe one file");
      override = header.type === EXTENDED ? parsePax(body) : { path: readLongPath(body) };
    } else {
      entries.push(toEntry(header, override, body));
      override = undefined;
      total += body.length;
    }
    refuseTooMuch(entries.length + comments, total);
  }
  if (override !== undefined) throw refuseTarball("an extended header describes no file");
  return entries;
}

function readLongPath(body: Buffer): string {
  return body.toString("utf8").replace(/\0.*$/su, "");
}

function refuseTooMuch(files: number, bytes: number): void {
  if (files > CARD_LIMITS.files) throw refuseTarball(`it holds more than ${CARD_LIMITS.files} files`);
  if (bytes > CARD_LIMITS.totalBytes) throw refuseTarball(`its files have more than ${CARD_LIMITS.totalBytes} bytes`);
}

/** The library throws if a field for a number holds something else. */
function decode(read: () => TarHeader): TarHeader {
  try {
    return read();
  } catch (error) {
    throw refuseTarball("a header in it is damaged", [], error);
  }
}

function bodyOf(archive: Buffer, at: number, header: TarHeader): Buffer {
  const { size, type, path = "" } = header;
  if (!header.cksumValid) throw refuseTarball("a header in it is damaged");
  if (size === undefined || !Number.isSafeInteger(size)) throw refuseTarball("a header in it has no size", [path]);
  // The library takes every folder for empty; other readers skip as many bytes as the folder claims to have.
  const claimed = archive.toString("latin1", at + SIZE_FIELD.start, at + SIZE_FIELD.end);
  if (type === "Directory" && !/^[0 ]*\0*$/u.test(claimed)) throw refuseTarball("a folder in it has content", [path]);
  const isMeta = type === EXTENDED || type === LONG_PATH || type === GLOBAL;
  const maximum = isMeta ? CARD_LIMITS.headerBytes : CARD_LIMITS.fileBytes;
  if (size > maximum) throw refuseTarball(`something in it has ${size} bytes; at most ${maximum} are read`, [path]);
  const start = at + BLOCK;
  if (start + paddedSize(size) > archive.length) throw refuseTarball("it is cut short");
  return archive.subarray(start, start + size);
}

function refuseGlobalPath({ path }: PaxFields): void {
  if (path !== undefined) throw refuseTarball("an extended header gives one path to every file", [path]);
}

function toEntry(header: TarHeader, override: PaxFields | undefined, bytes: Buffer): TarEntry {
  const path = override?.path ?? header.path ?? "";
  const isFolder = header.type === "Directory";
  if (!isFolder && header.type !== "File" && header.type !== "OldFile") {
    throw refuseTarball(`it holds something that isn't a file: ${header.type}`, [path]);
  }
  return { path, isFolder, bytes };
}

/** An archive ends with two blocks of zeros, and nothing but zeros may follow. */
function isEnd(archive: Buffer, at: number): boolean {
  if (at + 2 * BLOCK > archive.length) throw refuseTarball("it is cut short");
  if (!isZero(archive.subarray(at, at + BLOCK))) return false;
  if (!isZero(archive.subarray(at))) throw refuseTarball("there is something after its end");
  return true;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** RFC 1952: ten fixed bytes, then what the flags announce. */
const HEADER = 10;
const TRAILER = 8;
const FLAG = { crc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** All files, and the headers that they need. */
const MAXIMUM = CARD_LIMITS.totalBytes + 2 * 1024 * CARD_LIMITS.files;
/** zlib accepts no smaller chunk. */
const LEAST = 64;

/**
 * Unpacks these bytes, which must be exactly one gzip member. Anything after the first member is refused, since readers
 * differ in how they treat it. The unpacked size is known beforehand, so memory is allocated once, and never for more
 * than a card may have.
 */
function gunzipWhole(bytes: Uint8Array): Buffer {
  const start = endOfHeader(bytes);
  const size = claimedSize(bytes);
  try {
    // If the first member were empty, the size that the last one claims would still be right.
    if (isNothing(bytes.subarray(start))) throw badEnd();
    const unpacked = gunzipSync(bytes, { maxOutputLength: size, chunkSize: Math.max(LEAST, size + 1), info: true });
    const { buffer, consumed } = parseInfo(unpacked);
    if (buffer.length !== size || consumed !== bytes.length) throw badEnd();
    return buffer;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code === "ERR_BUFFER_TOO_LARGE") throw badEnd(error);
    if (error.code !== "Z_BUF_ERROR" && error.code !== "Z_DATA_ERROR") throw error;
    throw refuseTarball("it is damaged or cut short", [error.message], error);
  }
}

/** The unpacked size that its last bytes claim, within the limits. Unpacking shows whether that is true. */
function claimedSize(bytes: Uint8Array): number {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
  const why = "or its end is damaged, missing, or not the last thing in it";
  if (size > MAXIMUM) throw refuseTarball(`it unpacks to more than ${MAXIMUM} bytes, ${why}`);
  if (size > CARD_LIMITS.ratioCountsFrom && size > bytes.length * CARD_LIMITS.ratio) {
    throw refuseTarball(`it unpacks to more than ${CARD_LIMITS.ratio} times its size, ${why}`);
  }
  return Math.max(size, 1);
}

/** Whether the raw stream unpacks to next to nothing. Unpacks no more than that to find out. */
function isNothing(stream: Uint8Array): boolean {
  try {
    return inflateRawSync(stream, { maxOutputLength: LEAST, chunkSize: LEAST }).length <= LEAST;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") return false;
    throw error;
  }
}

function badEnd(cause?: Error) {
  return refuseTarball("its end is damaged, missing, or not the last thing in it", [], cause);
}

/** With `info` the result is `{ buffer, engine }`, which Node's types don't know. */
function parseInfo(result: unknown): { buffer: Buffer; consumed: number } {
  if (typeof result !== "object" || result === null || !("engine" in result && "buffer" in result)) {
    throw new TypeError("zlib gives no info");
  }
  const { engine, buffer } = result;
  const hasCount = typeof engine === "object" && engine !== null && "bytesWritten" in engine;
  if (!hasCount || !Buffer.isBuffer(buffer)) throw new TypeError("zlib gives no info");
  return { buffer, consumed: Number(engine.bytesWritten) };
}

function endOfHeader(bytes: Uint8Array): number {
  const flags = bytes[3] ?? FLAG.reserved;
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
  if (!isGzip || bytes.length < HEADER + TRAILER || (flags & FLAG.reserved) !== 0) throw refuseTarball("it isn't gzip");
  let at = HEADER;
  if (flags & FLAG.extra) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const text of [FLAG.name, FLAG.comment]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) throw refuseTarball("it is cut short");
    at = end + 1;
  }
  return flags & FLAG.crc ? at + 2 : at;
}

/** What an extended header says about the entry after it, as far as drwn needs it. */
interface PaxFields {
  path?: string;
}

/** Only decimal: some readers take other spellings of a number for a length, others for damage. */
const LENGTH = /^[1-9]\d{0,6}$/u;

/**
 * Records of `length key=value`, each exactly as long as it claims. drwn takes only a path from them. It refuses sizes
 * and links, which other readers treat differently.
 */
function parsePax(bytes: Buffer): PaxFields {
  const fields: PaxFields = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = bytes.toString("latin1", at, Math.max(space, at));
    const end = at + Number(digits);
    if (!LENGTH.test(digits) || end <= space || end > bytes.length || bytes[end - 1] !== 0x0a) throw damaged();
    const record = bytes.toString("utf8", space + 1, end - 1);
    const equals = record.indexOf("=");
    if (space < 0 || equals < 1) throw damaged();
    take(fields, record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return fields;
}

function take(fields: PaxFields, key: string, value: string): void {
  if (key === "path" && fields.path !== undefined) throw refuseTarball("an extended header names a file twice");
  if (key === "path") fields.path = value;
  else if (key === "linkpath") throw refuseTarball("it holds a link", [value]);
  else if (key === "size" || key.startsWith("GNU.sparse.")) {
    throw refuseTarball("an extended header changes a size", [key]);
  }
}

function damaged() {
  return refuseTarball("an extended header in it is damaged");
}

/** Bytes of the unit that a tar archive is made of. */
const BLOCK = 512;

function paddedSize(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function refuseTarball(why: string, about: readonly string[] = [], cause?: unknown): Problem {
  return new Problem("DRWN_TARBALL_INVALID", `the tarball is refused whole: ${why}`, {
    details: about.map((line) => clean(line)),
    cause,
  });
}
