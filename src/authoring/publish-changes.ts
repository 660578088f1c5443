import { diffFiles } from "../card/archive/code-diff.ts";
import { readCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import { INDEX_FILE } from "../card/hooks/hook-index.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { compareVersions } from "../card/version.ts";
import type { PublishedVersion, Registry } from "../registry/registry.ts";

/** What differs from the version that a person published last. */
export interface PublishChanges {
  since: string;
  /** Lines that are there and were not, and that were there; null: the file isn't text. */
  files: { path: string; change: "added" | "removed" | "changed"; lines: { added: number; removed: number } | null }[];
}

/**
 * What a person who publishes puts their name to, whoever edited the source. It is compared with the last version that was
 * not published by an agent: what came in with one of those is news, too. null: there is none before it.
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
