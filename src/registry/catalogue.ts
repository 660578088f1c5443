import fs from "node:fs";
import path from "node:path";
import { treeDigest } from "../card/files.ts";
import { INDEX_FILE, readHookIndex } from "../card/hooks/hook-index.ts";
import { cardScopeOf } from "../card/name.ts";
import { type PackedCard, packedFiles, packLoaded } from "../card/source/pack.ts";
import { loadSource, readManifest } from "../card/source/source.ts";
import { drwn } from "../kernel/advice.ts";
import { packageFile } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";
import { isNear } from "../kernel/text.ts";
import { searchListed } from "./folder-index.ts";
import { describePacked, type FoundCard, type Registry } from "./registry.ts";

/** The scope of the cards that come with drwn. No setting gives it to another registry. */
export const CATALOGUE_SCOPE = "@drwn";
export const CATALOGUE_REGISTRY = "drwn:catalogue";

interface Catalogue extends Registry {
  search(text: string): Promise<FoundCard[]>;
}

/**
 * The cards in drwn's own package, each in the version of its card.json. drwn reads them where it is installed: it
 * fetches nothing, and whoever trusts drwn already trusts their source.
 */
export function openCatalogue(): Catalogue {
  const packed = new Map<string, Promise<PackedCard>>();
  const pack = (name: string): Promise<PackedCard> | undefined => {
    const folder = cardFolderOf(name);
    if (folder === undefined) return undefined;
    const known = packed.get(name) ?? packFolder(folder);
    packed.set(name, known);
    return known;
  };
  return {
    id: CATALOGUE_REGISTRY,
    versions: async (name) => {
      const card = await pack(name);
      return card === undefined ? [] : [describePacked(card)];
    },
    fetch: async (name, version) => {
      const card = await pack(name);
      if (card?.manifest.version === version) return card.tarball;
      throw new Problem("DRWN_VERSION_NOT_FOUND", `this drwn has no ${name}@${version}`, {
        ...(card === undefined ? {} : { details: [`it has: ${card.manifest.version}`], hint: drwn("update", name) }),
      });
    },
    search: async (text) => searchListed(listed(), text),
    publish: () => Promise.reject(notYours(CATALOGUE_SCOPE)),
  };
}

/** Why nobody can give the scope to a registry, or publish to it. */
export function notYours(what: string): Problem {
  return new Problem("DRWN_REGISTRY_UNABLE", `${what} is for the cards that come with drwn`, {
    hint: "drwn card new @me/git --from @drwn/git",
  });
}

/** The folder of a card's source; undefined: drwn comes with no such card. */
export function cardFolderOf(name: string): string | undefined {
  if (cardScopeOf(name) !== CATALOGUE_SCOPE) return undefined;
  const folder = packageFile(`templates/cards/${name.slice(CATALOGUE_SCOPE.length + 1)}`);
  return fs.existsSync(path.join(folder, "card.json")) ? folder : undefined;
}

/** Whether drwn comes with exactly this content under this name and version. */
export function isFromCatalogue({ name, version, tree }: { name: string; version: string; tree: string }): boolean {
  const folder = cardFolderOf(name);
  if (folder === undefined || readManifest(folder).version !== version) return false;
  const source = loadSource(folder);
  return treeDigest(packedFiles(source, readIndex(source))) === tree;
}

async function packFolder(folder: string): Promise<PackedCard> {
  const source = loadSource(folder);
  return packLoaded(source, readIndex(source));
}

/** The index that was generated when drwn was built; a test compares it with the policies. */
function readIndex({ manifest, importable, index }: ReturnType<typeof loadSource>): ReturnType<typeof readHookIndex> {
  return readHookIndex(
    new Map([...importable, ...(index === undefined ? [] : [[INDEX_FILE, index] as const])]),
    manifest,
  );
}

/** Its one card whose name is nearly this one; undefined: none is, or several are. */
export function catalogueCardLike(name: string): string | undefined {
  const near = listed().filter((card) => isNear(name, card.name));
  return near.length === 1 ? near[0]?.name : undefined;
}

function listed() {
  const cards = packageFile("templates/cards");
  return fs
    .readdirSync(cards)
    .filter((entry) => fs.existsSync(path.join(cards, entry, "card.json")))
    .map((entry) => {
      const { name, version, description = "", keywords = [] } = readManifest(path.join(cards, entry));
      return { name, version, description, keywords };
    });
}
