import { type Integrity, integrityOf } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { checkFileNames, makePackageJson, PACKAGE_FILE, readCard } from "../archive/read-card.ts";
import { packTarball, readTarball } from "../archive/tarball.ts";
import { CARD_LIMITS, type CardFiles, type TreeDigest, toCardFiles, treeDigest } from "../files.ts";
import { readCases } from "../hooks/cases.ts";
import { type HookIndex, type HookProof, INDEX_FILE, type IndexedHook, readHookIndex } from "../hooks/hook-index.ts";
import type { Manifest } from "../manifest.ts";
import { checkCardPaths } from "../safe-path.ts";
import type { PublisherKey, SigningKey } from "../signing/publisher-key.ts";
import { type CardSignature, printSignature, type Rotation, SIGNATURE_FILE, signCard } from "../signing/signature.ts";
import { indexSource, printIndex } from "./build-index.ts";
import { type CardSource, loadSource } from "./source.ts";

/** A card, ready to be published. */
export interface PackedCard {
  manifest: Manifest;
  index: HookIndex;
  files: CardFiles;
  tree: TreeDigest;
  tarball: Buffer;
  integrity: Integrity;
  /** Whose signature is in the tarball; null: nobody's. */
  publisher: PublisherKey | null;
}

/**
 * Packs what the manifest names and its policies import, nothing else. Reads the source once and doesn't write to it:
 * `writeIndex` updates its index. Reads the result back as a consumer would.
 */
export async function packSource(dir: string): Promise<PackedCard> {
  const source = loadSource(dir);
  return packLoaded(source, await indexSource(source));
}

export async function packLoaded(source: CardSource, index: HookIndex): Promise<PackedCard> {
  const files = packedFiles(source, index);
  checkCardPaths(files.keys(), "DRWN_PACK_REFUSED");
  checkFileNames(files.keys(), "DRWN_PACK_REFUSED");
  refuseSignature(files);
  checkTotal(files);
  for (const { name } of index.hooks) readCases(files, name);
  return packFiles({ manifest: source.manifest, index, files });
}

/** The same card, with the results of its hooks' cases in the index. */
export function packProven(
  { manifest, index, files }: PackedCard,
  proofs: ReadonlyMap<string, HookProof>,
): Promise<PackedCard> {
  const hooks = index.hooks.map((hook): IndexedHook => {
    const proof = proofs.get(hook.name);
    return proof === undefined ? hook : { ...hook, proof };
  });
  const proven = { ...index, hooks };
  return packFiles({ manifest, index: proven, files: toCardFiles([...files, ...indexFiles(manifest, proven)]) });
}

async function packFiles({ manifest, index, files }: Pick<PackedCard, "files" | "index" | "manifest">) {
  const tree = treeDigest(files);
  const tarball = await packTarball(files);
  const received = readCard(await readTarball(tarball));
  if (received.tree !== tree) throw new Error(`packing ${manifest.name} changed its files`);
  return { manifest, index, files, tree, tarball, integrity: integrityOf(tarball), publisher: null };
}

/** The files of a source that are packed. */
export function packedFiles({ manifest, named, importable }: CardSource, index: HookIndex): CardFiles {
  const files = new Map(named);
  for (const file of index.hooks.flatMap((hook) => hook.files)) {
    const bytes = importable.get(file);
    if (bytes !== undefined) files.set(file, bytes);
  }
  return toCardFiles([...files, ...indexFiles(manifest, index)]);
}

/** The files that say what the hooks are. */
function indexFiles(manifest: Manifest, index: HookIndex): [string, Buffer][] {
  const described: [string, Buffer] = [PACKAGE_FILE, Buffer.from(makePackageJson(manifest, index.hooks))];
  return index.hooks.length === 0 ? [described] : [described, [INDEX_FILE, Buffer.from(printIndex(index))]];
}

/** A signature covers the packed files: readers would take one among them for theirs. */
function refuseSignature(files: CardFiles): void {
  if (!files.has(SIGNATURE_FILE)) return;
  throw new Problem("DRWN_PACK_REFUSED", `a card cannot hold \`${SIGNATURE_FILE}\`: that name is for its signature`);
}

function checkTotal(files: CardFiles): void {
  const total = [...files.values()].reduce((bytes, file) => bytes + file.length, 0);
  if (total <= CARD_LIMITS.totalBytes && files.size <= CARD_LIMITS.files) return;
  throw new Problem("DRWN_PACK_REFUSED", `the card would have ${files.size} files with ${total} bytes`, {
    details: [`at most: ${CARD_LIMITS.files} files, ${CARD_LIMITS.totalBytes} bytes`],
  });
}

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

/** The same card, with its publisher's signature in the tarball. The tree stays the same. */
export async function signPacked(
  card: PackedCard,
  { key, rotations }: { key: SigningKey; rotations: readonly Rotation[] },
): Promise<PackedCard> {
  const { name, version } = card.manifest;
  const signature = signCard({ name, version, tree: card.tree }, key, rotations);
  const tarball = await packSigned(card.files, signature);
  return { ...card, tarball, integrity: integrityOf(tarball), publisher: key.publisher };
}

/** The tarball of a card's files, with their signature; null: it isn't signed. */
export async function packSigned(files: CardFiles, signature: CardSignature | null): Promise<Buffer> {
  if (signature === null) return packTarball(files);
  return packTarball(toCardFiles([...files, [SIGNATURE_FILE, Buffer.from(printSignature(signature))]]));
}
