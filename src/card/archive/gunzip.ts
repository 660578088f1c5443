import { gunzipSync, inflateRawSync } from "node:zlib";
import { CARD_LIMITS } from "../limits.ts";
import { refuseTarball } from "./tar-blocks.ts";

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
export function gunzipWhole(bytes: Uint8Array): Buffer {
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
