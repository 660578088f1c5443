import { gzipSync } from "node:zlib";
import { Header, type HeaderData } from "tar";

/** One entry of a hostile or odd archive, with its header fields as given. */
export interface RawEntry {
  path: string;
  content?: string | Uint8Array;
  type?: HeaderData["type"];
  linkpath?: string;
  /** The size that the header claims, if it isn't that of the content. */
  size?: number;
  mode?: number;
}

/** A tar archive of exactly these entries, with nothing checked, escaped or sorted. */
export function rawTar(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.map(rawEntry), Buffer.alloc(1024)]);
}

export function rawTarball(entries: readonly RawEntry[]): Buffer {
  return gzipSync(rawTar(entries));
}

/** The least that a card needs, so that a refusal is about the test's own entry. */
export const MINIMUM: readonly RawEntry[] = [
  { path: "package/card.json", content: '{"name":"@me/backend","version":"1.0.0"}' },
  { path: "package/package.json", content: '{"name":"@me/backend","version":"1.0.0"}' },
];

/** The body of an extended header. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return `${length + digits}${rest}`;
}

function rawEntry({ path, content = "", type = "File", linkpath, size, mode = 0o644 }: RawEntry): Buffer {
  const body = Buffer.from(content);
  const block = Buffer.alloc(512);
  const data: HeaderData = { path, type, mode, uid: 0, gid: 0, size: size ?? body.length, mtime: new Date(0) };
  const header = new Header(linkpath === undefined ? data : { ...data, linkpath });
  header.encode(block, 0);
  return Buffer.concat([block, body, Buffer.alloc(Math.ceil(body.length / 512) * 512 - body.length)]);
}
