import { INDEX_FILE, readHookIndex } from "../hooks/hook-index.ts";
import { type PackedCard, packLoaded } from "./pack.ts";
import { loadSource } from "./source.ts";

/**
 * Packs a source with the index that was committed beside it. Nothing of the source is compiled or evaluated, so this may
 * be done on a consumer's machine; an index that does not belong to the files is refused. The same source gives the same
 * card as `packSource` does for its author.
 */
export async function packCommitted(dir: string): Promise<PackedCard> {
  const source = loadSource(dir);
  const files = new Map(source.importable);
  if (source.index !== undefined) files.set(INDEX_FILE, source.index);
  return packLoaded(source, readHookIndex(files, source.manifest));
}
