import path from "node:path";
import { rememberSource, standardPlace } from "../../authoring/find-source.ts";
import { parseCardName } from "../../card/name.ts";
import { createSource } from "../../card/source/create.ts";
import type { Host } from "../../kernel/host.ts";

/** Scaffolds a card source: below DRWN_HOME, or as a folder named like the card inside `into`. */
export async function newCard(
  host: Host,
  request: { name: string; into?: string },
): Promise<{ card: string; path: string }> {
  const card = parseCardName(request.name);
  const [, shortName = card] = card.split("/");
  const folder =
    request.into === undefined ? standardPlace(host, card) : path.join(path.resolve(host.cwd, request.into), shortName);
  createSource({ dir: folder, name: card });
  await rememberSource(host, card, folder);
  return { card, path: folder };
}
