import { diffFiles } from "../card/archive/code-diff.ts";
import { readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import { INDEX_FILE } from "../card/hooks/hook-index.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { compareVersions } from "../card/version.ts";
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
