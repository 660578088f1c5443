import path from "node:path";
import { walkTree } from "../card/archive/tree.ts";
import { CARD_LIMITS } from "../card/limits.ts";
import { parseCardName } from "../card/name.ts";
import { parseVersion } from "../card/version.ts";
import { readBounded } from "../format/read.ts";
import { projectFiles } from "./files.ts";

/** Where the project keeps the tarball of a card that it has vendored. */
export function vendoredFile(root: string, { name, version }: { name: string; version: string }): string {
  return path.join(projectFiles.vendor(root), parseCardName(name), `${parseVersion(version)}.tgz`);
}

/** Undefined if it isn't vendored. Callers compare the bytes with the lock. */
export function readVendored(root: string, card: { name: string; version: string }): Buffer | undefined {
  return readBounded(vendoredFile(root, card), { maximumBytes: CARD_LIMITS.tarballBytes });
}

/** Every file in the vendor folder, absolute. */
export function listVendored(root: string): string[] {
  const folder = projectFiles.vendor(root);
  return walkTree(folder, { maximum: 10 * CARD_LIMITS.files })
    .filter(({ kind }) => kind !== "folder")
    .map((entry) => path.join(folder, entry.path));
}
