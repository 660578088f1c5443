import { hash } from "node:crypto";
import { sortedBy } from "../kernel/order.ts";

/** The files of a card: relative POSIX path to bytes, in ordinal order of the paths. */
export type CardFiles = ReadonlyMap<string, Buffer>;

/** Identifies a card's content: the same on every machine, whatever packed it. Also serves as a file name. */
export type TreeDigest = `drwn1-sha512-${string}`;

const DOMAIN = "drwn-tree-1\n";

/** The same files, sorted ordinally by path. */
export function toCardFiles(files: Iterable<readonly [string, Uint8Array]>): CardFiles {
  const sorted = sortedBy(files, ([path]) => path);
  return new Map(sorted.map(([path, bytes]) => [path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]));
}

/** Covers path, size and content of every file, and nothing else: neither times, modes, nor the order they came in. */
export function treeDigest(files: CardFiles): TreeDigest {
  const lines = sortedBy(files, ([path]) => path).map(
    // As a JSON string, no path, however odd, can look like the line of another file.
    ([path, bytes]) => `${hash("sha512", bytes, "hex")} ${bytes.length} ${JSON.stringify(path)}\n`,
  );
  return `drwn1-sha512-${hash("sha512", `${DOMAIN}${lines.join("")}`, "base64url")}`;
}

/** Only the files with these paths, for a digest over a part of a card. */
export function pickFiles(files: CardFiles, paths: Iterable<string>): CardFiles {
  const wanted = new Set(paths);
  return new Map([...files].filter(([path]) => wanted.has(path)));
}

const MEBIBYTE = 1024 * 1024;

/** How large a card may be, packed and unpacked. The same limits hold when it is made and when it is received. */
export const CARD_LIMITS = {
  files: 5_000,
  fileBytes: 8 * MEBIBYTE,
  totalBytes: 64 * MEBIBYTE,
  tarballBytes: 32 * MEBIBYTE,
  /** Unpacked bytes for each packed byte; small cards may be as repetitive as they like. */
  ratio: 100,
  ratioCountsFrom: MEBIBYTE,
  /** For an extended tar header. */
  headerBytes: 64 * 1024,
  pathBytes: 1024,
  nameBytes: 255,
  depth: 32,
} as const;
