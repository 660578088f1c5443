import { readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { compareVersions } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { PublishedVersion } from "../registry/registry.ts";

/**
 * Refuses to publish a version that users of earlier ones would have to refuse: unsigned, or signed with a foreign key.
 */
export async function requireSuccessor(published: readonly PublishedVersion[], packed: PackedCard): Promise<void> {
  const { name, version } = packed.manifest;
  const signed = published.filter(({ publisher }) => publisher !== null);
  const former = highestBelow(signed, version) ?? signed[0];
  if (former === undefined || former.publisher === null) return;
  const details = [`${former.version} is signed by: ${clean(former.publisher)}`];
  const { signature } = readCard(await readTarball(packed.tarball));
  if (signature === null) {
    throw new Problem("DRWN_SIGNATURE_MISSING", `${name}@${version} would not be signed, but earlier versions are`, {
      details,
      hint: "use the same key: drwn card publish <source> --key <file>, with what `drwn key list <@scope> --secret` prints on the machine that has it",
    });
  }
  const chain: string[] = [signature.publisher, ...signature.rotations.map(({ from }) => from)];
  if (chain.includes(former.publisher)) return;
  throw new Problem("DRWN_SIGNATURE_FOREIGN", `${name}@${version} would be signed with another key than before`, {
    details: [...details, `this key: ${signature.publisher}`],
    hint: "sign with the former key, or with one that `drwn key new <@scope> --rotate` has put in its place",
  });
}

function highestBelow(published: readonly PublishedVersion[], version: string): PublishedVersion | undefined {
  return published.filter((one) => compareVersions(one.version, version) < 0).at(-1);
}
