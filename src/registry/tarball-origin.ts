import { type ReadCard, readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { integrityOf } from "../kernel/digest.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type CardOrigin, describePacked } from "./registry.ts";

/** One packed card, wherever its bytes come from. */
export function openTarballOrigin(id: string, read: () => Promise<Buffer>): CardOrigin {
  return openSingleOrigin(id, async () => unpack(await read()));
}

/** A packed card, as described by its own bytes; runs none of it. */
export async function unpack(tarball: Buffer): Promise<PackedCard & ReadCard> {
  const card = readCard(await readTarball(tarball));
  return { ...card, tarball, integrity: integrityOf(tarball), publisher: card.signature?.publisher ?? null };
}

/** A place that holds one version of one card. drwn looks at it only once. */
export function openSingleOrigin(id: string, pack: () => Promise<PackedCard>): CardOrigin {
  let packed: Promise<PackedCard> | undefined;
  const read = () => (packed ??= pack());
  const resolve = async () => describePacked(await read());
  return {
    registry: {
      id,
      versions: async (name) => [await resolve()].filter((published) => published.name === name),
      fetch: async (name, version) => {
        const { manifest, tarball } = await read();
        if (manifest.name === name && manifest.version === version) return tarball;
        throw new Problem("DRWN_VERSION_NOT_FOUND", `${id} is not ${clean(`${name}@${version}`, 200)}`, {
          details: [`it is: ${manifest.name}@${manifest.version}`],
        });
      },
      publish: () =>
        Promise.reject(
          new Problem("DRWN_REGISTRY_UNABLE", `${id} is one card, and takes no others`, {
            hint: "drwn card pack <source>",
          }),
        ),
    },
    resolve,
    fetchLocked: read,
  };
}
