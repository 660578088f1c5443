import { INDEX_FILE, readHookIndex } from "../hooks/hook-index.ts";
import { type PackedCard, packLoaded } from "./pack.ts";
import { loadSource } from "./source.ts";

/**
 * Packs a source with the index that was committed with it. Compiles and evaluates none of it, so it may run on a
 * consumer's machine; refuses an index that doesn't belong to the files. The result is the card that `packSource` makes
 * for the author.
 */
export async function packCommitted(dir: string): Promise<PackedCard> {
  const source = loadSource(dir);
  const files = new Map(source.importable);
  if (source.index !== undefined) files.set(INDEX_FILE, source.index);
  return packLoaded(source, readHookIndex(files, source.manifest));
}
