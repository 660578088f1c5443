import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { CARD, cardWith, END, extended, type RawHeader, rawHeader, record, type Shape, shape, tarOf } from "./raw.ts";

const MEBIBYTE = 1024 * 1024;
const good = (): Buffer => cardWith();
const plain = (): Buffer => gunzipSync(good());
const file = (at: number): RawHeader => ({ name: `package/f${at}`, content: "" });

/** A header that lies about itself. */
const HEADERS: readonly [string, Partial<RawHeader>][] = [
  ["a wrong checksum", { checksum: "000000\0 " }],
  ["an empty checksum", { checksum: "\0\0\0\0\0\0\0\0" }],
  ["a checksum that isn't a number", { checksum: "zzzzzz\0 " }],
  ["no size", { size: Buffer.alloc(12) }],
  ["a size that isn't a number", { size: "size\0" }],
  ["a size below nothing", { size: "-0000000001\0" }],
  ["a size below nothing in binary", { size: Buffer.alloc(12, 0xff) }],
  ["a size of 8 GiB", { size: "77777777777\0" }],
  ["a size beyond all numbers in binary", { size: Buffer.concat([Buffer.from([0x80]), Buffer.alloc(11, 0xff)]) }],
  ["a size beyond its file", { size: "00000010000\0" }],
  ["a size that swallows the end", { size: "00000002000\0" }],
  ["a size one byte beyond its file", { content: "x".repeat(512), size: "00000001001\0", isUnpadded: true }],
  ["no end of its content", { content: "x", isUnpadded: true }],
];

const DAMAGED: readonly [string, () => Buffer][] = [
  ["nothing", () => Buffer.alloc(0)],
  ["one byte", () => Buffer.from([0x1f])],
  ["zeros", () => Buffer.alloc(4096)],
  ["text", () => Buffer.from("this is no archive, whatever its name says")],
  ["a web page", () => Buffer.from("<!doctype html><title>Sign in</title>".padEnd(600))],
  ["a tar that is not compressed", plain],
  ["a zip", () => Buffer.from("PK\u0003\u0004".padEnd(100, "\0"))],
  ["a bzip2", () => Buffer.from("BZh91AY&SY".padEnd(100, "\0"), "latin1")],
  ["an xz", () => Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), Buffer.alloc(100)])],
  ["a zstd", () => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.alloc(100)])],
  ["a brotli", () => brotliCompressSync(plain())],
  ["a zlib", () => deflateSync(plain())],
  ["a bare deflate", () => deflateRawSync(plain())],
  ["a gzip in a gzip", () => gzipSync(good())],
  ["a gzip of nothing", () => gzipSync("")],
  ["a gzip of another method", () => withByte(good(), 2, 7)],
  ["a gzip with a flag that nobody knows", () => withByte(good(), 3, 0x20)],
  ["a gzip with an extra field beyond its end", () => withByte(good().subarray(0, 40), 3, 4)],
  ["a gzip with a name without an end", () => withByte(good().subarray(0, 12), 3, 8)],
  ["a gzip with a header checksum that is wrong", () => headed(2, Buffer.from([1, 2]))],
  ["a gzip with a wrong checksum", () => withByte(good(), -8, 1, true)],
  ["a gzip with a wrong length", () => withByte(good(), -4, 1, true)],
  ["a gzip that is cut in its header", () => good().subarray(0, 9)],
  ["a gzip that is cut in its middle", () => good().subarray(0, good().length / 2)],
  ["a gzip without its trailer", () => good().subarray(0, -8)],
  ["a gzip without its last byte", () => good().subarray(0, -1)],
  ["a byte before the gzip", () => Buffer.concat([Buffer.from("x"), good()])],
  ["a byte behind the gzip", () => Buffer.concat([good(), Buffer.from("x")])],
  ["zeros behind the gzip", () => Buffer.concat([good(), Buffer.alloc(512)])],
  ["a second gzip", () => Buffer.concat([good(), cardWith(file(1))])],
  // Node takes a zero byte for the start of padding, and looks at nothing behind it.
  ["a zero byte, text and its length behind the gzip", () => hidden("x".repeat(1_000))],
  ["a zero byte and a second gzip with the same length", () => Buffer.concat([good(), Buffer.alloc(1), good()])],
  ["a second gzip of nothing", () => Buffer.concat([good(), gzipSync("")])],
  ["a gzip of nothing before it", () => Buffer.concat([gzipSync(""), good()])],
  ["an archive without an end", () => gzipSync(plain().subarray(0, -END.length))],
  ["an archive with half an end", () => gzipSync(plain().subarray(0, -512))],
  ["an archive that is cut in a header", () => gzipSync(plain().subarray(0, 300))],
  ["an archive that is cut in a file", () => gzipSync(plain().subarray(0, 700))],
  ["a file behind the end", () => gzipSync(Buffer.concat([plain(), rawHeader(file(1))]))],
  ["an archive behind the end", () => gzipSync(Buffer.concat([plain(), tarOf(file(1))]))],
  ["a byte behind the end", () => gzipSync(Buffer.concat([plain(), Buffer.from("x")]))],
  ["a block of zeros in its middle", () => gzipSync(Buffer.concat([plain().subarray(0, 1024), END, tarOf(file(1))]))],
  ["an archive with nothing in it", () => gzipSync(END)],
  ["an archive of ends", () => gzipSync(Buffer.alloc(100 * 512))],
];

const BOMBS: readonly [string, () => Buffer][] = [
  ["200 MB of zeros", () => gzipSync(Buffer.alloc(200_000_000), { level: 1 })],
  ["4 MB of zeros in a file", () => cardWith({ name: "package/a", content: Buffer.alloc(4_000_000) })],
  ["a file of more than 8 MiB", () => cardWith({ name: "package/a", content: dense(8 * MEBIBYTE + 1) })],
  ["nine files of 8 MiB", () => cardWith(...nineLarge())],
  ["5001 files", () => cardWith(...Array.from({ length: 5_001 }, (_, at) => file(at)))],
  ["5001 folders", () => cardWith(...Array.from({ length: 5_001 }, (_, at) => ({ ...file(at), type: "5" })))],
  ["5001 extended headers", () => cardWith(...remarks("x"))],
  ["5001 global headers", () => cardWith(...remarks("g"))],
];

export const STREAMS: readonly Shape[] = [
  ...HEADERS.map(([what, lie]) =>
    shape(`a header with ${what}`, () => cardWith({ name: "package/a", content: "x", ...lie })),
  ),
  ...DAMAGED.map(([what, bytes]) => shape(what, bytes)),
  ...BOMBS.map(([what, bytes]) => shape(what, bytes)),
  shape("more than 32 MiB", () => Buffer.alloc(32 * MEBIBYTE + 1, 7), "DRWN_FILE_TOO_LARGE"),
  shape("a card without a manifest", () => gzipSync(tarOf(...CARD.slice(1)))),
  shape("a card without package.json", () => gzipSync(tarOf(...CARD.slice(0, 1)))),
];

/** Bytes that shrink to a fiftieth: too little for a bomb by its ratio. */
function dense(length: number): Buffer {
  const piece = Buffer.concat([randomBytes(1_000), Buffer.alloc(63_000, 1)]);
  return Buffer.alloc(length, piece);
}

function remarks(type: "x" | "g"): RawHeader[] {
  return Array.from({ length: 5_001 }, () => extended(record("comment", randomBytes(100).toString("hex")), type));
}

function nineLarge(): RawHeader[] {
  return Array.from({ length: 9 }, (_, at) => ({ name: `package/f${at}`, content: dense(8 * MEBIBYTE) }));
}

/** With one byte set, or flipped by it. */
function withByte(bytes: Buffer, at: number, value: number, isFlip = false): Buffer {
  const changed = Buffer.from(bytes);
  const place = at < 0 ? changed.length + at : at;
  changed[place] = isFlip ? (changed[place] ?? 0) ^ value : value;
  return changed;
}

/** The gzip, what no reader of gzip looks at, and an end that is true of what the gzip unpacks to. */
function hidden(payload: string): Buffer {
  return Buffer.concat([good(), Buffer.alloc(1), Buffer.from(payload), good().subarray(-4)]);
}

function headed(flag: number, field: Buffer): Buffer {
  const bytes = withByte(good(), 3, flag);
  return Buffer.concat([bytes.subarray(0, 10), field, bytes.subarray(10)]);
}
