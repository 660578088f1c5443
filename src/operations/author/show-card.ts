import { publishedFirst } from "../../authoring/find-source.ts";
import { type IndexedHook, summaryOf } from "../../card/hooks/hook-index.ts";
import { type LeftOut, readLeftOut } from "../../card/hooks/imported-file.ts";
import type { Manifest } from "../../card/manifest.ts";
import { type DescribedServer, describeServersOf } from "../../card/server.ts";
import { type SourceText, sourceTexts } from "../../card/source/source.ts";
import { parseTypedCard } from "../../card/spec.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { type FetchedCard, fetchVerified, openDefaultRegistry } from "../../project/fetch/fetch-card.ts";
import { resolveRequested } from "../../project/fetch/lock-card.ts";
import type { PublishedBy, PublishedVersion } from "../../registry/registry.ts";
import { lookUpCard, pickVersion } from "../../registry/resolve.ts";
import { readPins, requirePublisher } from "../../trust/publisher.ts";

export interface ShownCard {
  name: string;
  version: string;
  versions: string[];
  /** Those of them that their publisher yanked. */
  yanked: string[];
  /** ISO 8601; null: it comes from a folder, a tarball or git, which nobody publishes to. */
  publishedAt: string | null;
  integrity: string;
  tree: string;
  /** Whose signature is in it; null: nobody's. */
  publisher: string | null;
  /** Why drwn would not add it: it isn't signed with the key that this machine knows; null: nothing is against it. */
  refusal: string | null;
  /** Who published it, according to its registry; null: it doesn't say. */
  publishedBy: PublishedBy;
  deprecated: string | null;
  manifest: Manifest;
  hooks: (IndexedHook & { summary: string })[];
  /** Hooks that the imported files had and the card doesn't. */
  leftOut: LeftOut[];
  servers: DescribedServer[];
  files: { path: string; size: number }[];
  /** Its files as text, if the caller asked for them. */
  source?: SourceText[];
}

/** Fetches a published card and compares it with everything its registry says about it. Runs nothing in it, and stores nothing. */
export async function showCard(host: Host, spec: string, { isSourceShown = false } = {}): Promise<ShownCard> {
  const asked = parseTypedCard(spec);
  const place = { host, base: host.cwd, isLook: true };
  const { registry, published } = await publishedFirst(host, asked.name, () =>
    resolveRequested(place, asked, lookUpCard),
  );
  const { name } = published;
  const card = await fetchVerified(host, registry, published);
  const { files, manifest, index, tree, signature } = card;
  const offered = await registry.versions(name);
  return {
    name,
    version: published.version,
    ...listVersions(offered),
    publishedAt: published.publishedAt,
    integrity: published.integrity,
    tree,
    publisher: signature?.publisher ?? null,
    refusal: refusalOf(host, card),
    publishedBy: published.publishedBy,
    deprecated: published.deprecated,
    manifest,
    hooks: index.hooks.map((hook) => ({ ...hook, summary: summaryOf(hook.name, files) })),
    leftOut: readLeftOut(files),
    servers: describeServersOf(manifest.servers),
    files: [...files].map(([path, bytes]) => ({ path, size: bytes.length })),
    ...(isSourceShown ? { source: sourceTexts(files, index.hooks) } : {}),
  };
}

function refusalOf({ drwnHome }: Host, { name, version, signature }: FetchedCard): string | null {
  try {
    requirePublisher(readPins(drwnHome), { name, version, signature, isLocked: false });
    return null;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return error.message;
  }
}

export interface ListedPublication {
  name: string;
  /** The version that `add` takes; null: every one was yanked. */
  latest: string | null;
  /** The oldest first, yanked ones included. */
  versions: string[];
  yanked: string[];
}

/** Every card in the default registry. */
export async function listPublished(host: Host): Promise<ListedPublication[]> {
  const registry = openDefaultRegistry(host);
  const names = await registry.list();
  return Promise.all(
    names.map(async (name) => {
      const published = await registry.versions(name);
      return {
        name,
        latest: pickVersion(published, null)?.version ?? null,
        ...listVersions(published),
      };
    }),
  );
}

function listVersions(published: readonly PublishedVersion[]): { versions: string[]; yanked: string[] } {
  return {
    versions: published.map(({ version }) => version),
    yanked: published.filter(({ yanked }) => yanked).map(({ version }) => version),
  };
}

export type { SourceText } from "../../card/source/source.ts";
