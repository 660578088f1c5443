import { type ReadCard, readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { integrityOf } from "../kernel/digest.ts";
import type { CardOrigin } from "./card-origin.ts";
import { openSingleOrigin } from "./single-origin.ts";

/** One packed card, wherever its bytes come from. */
export function openTarballOrigin(id: string, read: () => Promise<Buffer>): CardOrigin {
  return openSingleOrigin(id, async () => unpack(await read()));
}

/** A packed card, as described by its own bytes; runs none of it. */
export async function unpack(tarball: Buffer): Promise<PackedCard & ReadCard> {
  const card = readCard(await readTarball(tarball));
  return { ...card, tarball, integrity: integrityOf(tarball), publisher: card.signature?.publisher ?? null };
}
