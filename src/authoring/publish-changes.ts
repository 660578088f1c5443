import { diffFiles } from "../card/archive/code-diff.ts";
import { readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import { INDEX_FILE } from "../card/hooks/hook-index.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { compareVersions } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { PublishedVersion, Registry } from "../registry/registry.ts";

/** The differences from the last version that a person published. */
export interface PublishChanges {
  since: string;
  /** How many lines were added and removed; null: the file isn't text. */
  files: { path: string; change: "added" | "removed" | "changed"; lines: { added: number; removed: number } | null }[];
}

/**
 * What a person vouches for by publishing, whoever edited the source. The comparison is with the last version that no
 * agent published: what an agent's version brought in counts as new, too. null: there is no earlier version.
 */
export async function listPublishChanges(
  registry: Registry,
  published: readonly PublishedVersion[],
  { manifest, files }: PackedCard,
): Promise<PublishChanges | null> {
  const seen = published.filter(({ publishedBy }) => publishedBy !== "agent");
  const former = seen.filter(({ version }) => compareVersions(version, manifest.version) < 0).at(-1);
  if (former === undefined) return null;
  const before = readCard(await readTarball(await registry.fetch(manifest.name, former.version))).files;
  const differing = diffFiles(before, files).filter(({ path }) => !SAID_OTHERWISE.has(path));
  return {
    since: former.version,
    files: differing.map(({ path, change, hunks }) => {
      const lines = hunks?.flatMap((hunk) => hunk.lines) ?? [];
      const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
      return { path, change, lines: hunks === null ? null : { added: count("+"), removed: count("-") } };
    }),
  };
}

/** Made from the other files. */
const SAID_OTHERWISE = new Set([INDEX_FILE, "package.json"]);

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
