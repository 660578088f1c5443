import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HeaderData } from "tar";
import { type CardFiles, toCardFiles } from "../files.ts";
import { CARD_LIMITS } from "../limits.ts";
import { checkCardPaths } from "../paths.ts";
import { gunzipWhole } from "./gunzip.ts";
import { BLOCK, paddedSize, refuseTarball } from "./tar-blocks.ts";
import { readEntries } from "./tar-entries.ts";

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
