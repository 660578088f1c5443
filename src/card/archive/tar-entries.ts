import { CARD_LIMITS } from "../limits.ts";
import { type PaxFields, parsePax } from "./pax.ts";
import { BLOCK, paddedSize, refuseTarball } from "./tar-blocks.ts";

/** One header block, as the library reads it. */
interface TarHeader {
  cksumValid: boolean;
  path?: string | undefined;
  size?: number | undefined;
  type: string;
}

export interface TarEntry {
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
export function readEntries(archive: Buffer, readHeader: (at: number) => TarHeader): TarEntry[] {
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
