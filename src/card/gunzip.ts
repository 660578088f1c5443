import { gunzipSync, inflateRawSync } from "node:zlib";
import { CARD_LIMITS } from "./limits.ts";
import { refuseTarball } from "./tar-blocks.ts";

/** RFC 1952: ten fixed bytes, then what the flags announce. */
const HEADER = 10;
const TRAILER = 8;
const FLAG = { crc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/**
 * The one gzip member that these bytes are. A second member, or anything after the first, is refused: readers differ in
 * what they make of it.
 */
export function gunzipWhole(bytes: Uint8Array): Buffer {
  const start = endOfHeader(bytes);
  try {
    // The raw stream tells where it ends; the second pass checks size and checksum.
    const consumed = consumedBy(inflateRawSync(bytes.subarray(start), { ...LIMIT, info: true }));
    const end = start + consumed + TRAILER;
    if (end > bytes.length) throw refuseTarball("it is damaged or cut short");
    if (end < bytes.length) throw refuseTarball("there is something after its end");
    const plain = gunzipSync(bytes, LIMIT);
    if (plain.length > CARD_LIMITS.ratioCountsFrom && plain.length > bytes.length * CARD_LIMITS.ratio) {
      throw refuseTarball(`it unpacks to more than ${CARD_LIMITS.ratio} times its size`);
    }
    return plain;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code === "ERR_BUFFER_TOO_LARGE") {
      throw refuseTarball(`it unpacks to more than ${MAXIMUM} bytes`, [], error);
    }
    if (error.code === "Z_BUF_ERROR" || error.code === "Z_DATA_ERROR") {
      throw refuseTarball("it is damaged or cut short", [error.message], error);
    }
    throw error;
  }
}

/** With `info` the result is `{ buffer, engine }`, which the types of Node do not know. */
function consumedBy(inflated: unknown): number {
  if (typeof inflated !== "object" || inflated === null || !("engine" in inflated)) throw new Error("no engine");
  const { engine } = inflated;
  if (typeof engine !== "object" || engine === null || !("bytesWritten" in engine)) throw new Error("no engine");
  return Number(engine.bytesWritten);
}

/** All files, and the headers that they need. */
const MAXIMUM = CARD_LIMITS.totalBytes + 2 * 1024 * CARD_LIMITS.files;
const LIMIT = { maxOutputLength: MAXIMUM };

function endOfHeader(bytes: Uint8Array): number {
  const flags = bytes[3] ?? FLAG.reserved;
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
  if (!isGzip || bytes.length < HEADER + TRAILER || (flags & FLAG.reserved) !== 0) throw refuseTarball("it is no gzip");
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
