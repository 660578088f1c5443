import { compareVersions, isPrerelease, satisfies } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { trace } from "../kernel/trace.ts";
import { CATALOGUE_REGISTRY } from "./catalogue.ts";
import type { PublishedVersion, Registry } from "./registry.ts";

const LISTED_VERSIONS = 20;

interface ResolveOptions {
  /** Whether a prerelease may be taken that the range does not name. */
  prerelease?: boolean;
}

/**
 * The highest version in the range that was not yanked; without a range the highest one of all. A prerelease is taken where
 * it is asked for, by the option or by the range; without a range also where there is nothing else.
 */
export async function resolveCard(
  registry: Registry,
  name: string,
  range: string | null,
  options: ResolveOptions = {},
): Promise<PublishedVersion> {
  const published = await registry.versions(name);
  if (published.length === 0) {
    const advice = registry.id === CATALOGUE_REGISTRY ? { hint: "drwn search @drwn" } : {};
    throw new Problem("DRWN_CARD_NOT_FOUND", `${registry.id} has no card ${clean(name)}`, advice);
  }
  const found = pickVersion(published, range, options);
  trace(
    "decide",
    () => `${name}@${range ?? "any"} of ${registry.id}: ${found?.version ?? "none"}, of ${published.length}`,
  );
  if (found !== undefined) return found;
  throw new Problem("DRWN_VERSION_NOT_FOUND", `${clean(name)} has no version in ${clean(range ?? "any range")}`, {
    details: describeOffer(registry.id, published),
  });
}

/** Like `resolveCard`, for a caller that only looks: it shows a version that is named exactly even where it was yanked. */
export async function lookUpCard(registry: Registry, name: string, range: string | null): Promise<PublishedVersion> {
  const named = (await registry.versions(name)).find(({ version }) => version === range);
  return named ?? resolveCard(registry, name, range);
}

/** Those that were published by then, as far as the registry says when that was, and the one that is installed. */
export function restedVersions(
  published: readonly PublishedVersion[],
  by: Date | undefined,
  installed: string | null,
): PublishedVersion[] {
  const isYoung = ({ publishedAt }: PublishedVersion): boolean =>
    by !== undefined && publishedAt !== null && Date.parse(publishedAt) > by.getTime();
  return published.filter((one) => one.version === installed || !isYoung(one));
}

/** What `resolveCard` takes of these versions; undefined when it takes none. */
export function pickVersion(
  published: readonly PublishedVersion[],
  range: string | null,
  { prerelease = false }: ResolveOptions = {},
): PublishedVersion | undefined {
  return published
    .filter(({ version, yanked }) => !yanked && (range === null || satisfies(version, range, { prerelease })))
    .sort((left, right) => (prerelease ? compareVersions : comparePreferred)(left.version, right.version))
    .at(-1);
}

function comparePreferred(left: string, right: string): number {
  if (isPrerelease(left) !== isPrerelease(right)) return isPrerelease(left) ? -1 : 1;
  return compareVersions(left, right);
}

function describeOffer(registry: string, published: readonly PublishedVersion[]): string[] {
  const there = published.filter(({ yanked }) => !yanked).map(({ version }) => version);
  const yanked = published.filter((one) => one.yanked).map(({ version }) => version);
  return [
    `${registry} has: ${there.length === 0 ? "none that may be taken" : describeVersions(there)}`,
    ...(yanked.length === 0 ? [] : [`yanked: ${describeVersions(yanked)}`]),
  ];
}

function describeVersions(versions: readonly string[]): string {
  const latest = versions.slice(-LISTED_VERSIONS).reverse().join(", ");
  return versions.length > LISTED_VERSIONS ? `${latest} and ${versions.length - LISTED_VERSIONS} before` : latest;
}
