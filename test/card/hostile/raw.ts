import { gzipSync } from "node:zlib";

/** One tar header and what follows it, each field as the bytes say, right or wrong. */
export interface RawHeader {
  name: string | Buffer;
  content?: string | Uint8Array;
  /** The type byte: `0` file, `5` folder, `2` symbolic link and so on. */
  type?: string;
  link?: string;
  prefix?: string;
  /** The size field as text, where it is not the octal number of the content's bytes. */
  size?: string | Buffer;
  mode?: string;
  /** Nine bytes or fewer: `ustar\0` and version. */
  magic?: string;
  /** The checksum field as text; left out, the right one. */
  checksum?: string;
  /** Left out: the content is followed by zeros up to a whole block. */
  isUnpadded?: boolean;
}

const BLOCK = 512;

export const END = Buffer.alloc(2 * BLOCK);

export function rawHeader(given: RawHeader): Buffer {
  const { name, content = "", type = "0", link = "", prefix = "", magic = "ustar\u000000", mode = "0000644\0" } = given;
  const body = Buffer.from(content);
  const block = Buffer.alloc(BLOCK);
  block.set(Buffer.from(name).subarray(0, 100), 0);
  block.write(mode, 100, "latin1");
  block.write("0000000\0", 108, "latin1");
  block.write("0000000\0", 116, "latin1");
  block.set(Buffer.from(given.size ?? `${body.length.toString(8).padStart(11, "0")}\0`).subarray(0, 12), 124);
  block.write("00000000000\0", 136, "latin1");
  block.write(type, 156, "latin1");
  block.write(link, 157, 100, "utf8");
  block.write(magic, 257, "latin1");
  block.write(prefix, 345, 155, "utf8");
  block.write(given.checksum ?? checksumOf(block), 148, "latin1");
  const padding = given.isUnpadded === true ? 0 : (BLOCK - (body.length % BLOCK)) % BLOCK;
  return Buffer.concat([block, body, Buffer.alloc(padding)]);
}

function checksumOf(block: Buffer): string {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  return `${sum.toString(8).padStart(6, "0")}\0 `;
}

/** A record of an extended header with its right length. */
export function record(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from("\n")]);
  const digits = String(rest.length + String(rest.length).length).length;
  return Buffer.concat([Buffer.from(String(rest.length + digits)), rest]);
}

/** An extended header for the entry after it; `g`: for all that follow. */
export function extended(content: string | Uint8Array, type: "x" | "g" = "x"): RawHeader {
  return { name: "PaxHeader/x", type, content };
}

/** The two files without which nothing is a card. */
export const CARD: readonly RawHeader[] = [
  { name: "package/card.json", content: '{"name":"@me/backend","version":"1.0.0"}' },
  { name: "package/package.json", content: '{"name":"@me/backend","version":"1.0.0"}' },
];

export function tarOf(...headers: readonly RawHeader[]): Buffer {
  return Buffer.concat([...headers.map(rawHeader), END]);
}

/** A card with these entries behind its own. */
export function cardWith(...headers: readonly RawHeader[]): Buffer {
  return gzipSync(tarOf(...CARD, ...headers));
}

/** One kind of lie: what it is called, the tarball, and the code that it is refused with. */
export interface Shape {
  name: string;
  bytes(): Buffer;
  code: string;
}

export function shape(name: string, bytes: () => Buffer, code = "DRWN_TARBALL_INVALID"): Shape {
  return { name, bytes, code };
}
