import type { PackedCard } from "../card/source/pack.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { CardOrigin } from "./card-origin.ts";
import { describePacked } from "./registry.ts";

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
