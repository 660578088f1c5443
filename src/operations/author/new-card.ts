import path from "node:path";
import { findSource, rememberSource, standardFolder } from "../../authoring/find-source.ts";
import { MANIFEST_FILE, parseManifest } from "../../card/manifest.ts";
import { cardScopeOf, parseCardName } from "../../card/name.ts";
import { createSource } from "../../card/source/create.ts";
import { readManifestFile } from "../../card/source/source.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { CATALOGUE_SCOPE, cardFolderOf, notYours } from "../../registry/catalogue.ts";
import { requirePerson } from "../../workspace/require-person.ts";

/** Scaffolds a card source: below DRWN_HOME, in the current folder, or as a folder named like the card inside another one. */
export async function newCard(
  host: Host,
  request: { name: string; into?: string; from?: string },
): Promise<{ card: string; path: string }> {
  const card = parseCardName(request.name);
  if (cardScopeOf(card) === CATALOGUE_SCOPE) throw notYours(CATALOGUE_SCOPE);
  const [, shortName = card] = card.split("/");
  const folder = request.into === undefined ? standardFolder(host, card) : placeIn(host, request.into, shortName);
  createSource({ dir: folder, name: card, from: request.from === undefined ? undefined : requireOwn(request.from) });
  await rememberSource(host, card, folder);
  return { card, path: folder };
}

function requireOwn(name: string): string {
  const folder = cardFolderOf(parseCardName(name));
  if (folder !== undefined) return folder;
  throw new Problem("DRWN_CARD_NOT_FOUND", `drwn doesn't come with a card ${name}`, { hint: "drwn search @drwn" });
}

/** Somebody who names the folder that they are in has made it for the card. */
function placeIn({ cwd }: Host, into: string, shortName: string): string {
  const folder = path.resolve(cwd, into);
  return folder === path.resolve(cwd) ? folder : path.join(folder, shortName);
}

/**
 * From now on the source in this folder is found by its name, from anywhere, and is the user's own: commands run its code
 * without asking. So an agent cannot say it for a person.
 */
export async function useSource(host: Host, folder: string): Promise<{ card: string; path: string }> {
  requirePerson(host, "take a source for your own", `drwn card source use ${shellQuote(folder)}`);
  const found = findSource(host, path.resolve(host.cwd, folder));
  const { name } = parseManifest(readManifestFile(found), { file: path.join(found, MANIFEST_FILE) });
  await rememberSource(host, name, found);
  return { card: name, path: found };
}
