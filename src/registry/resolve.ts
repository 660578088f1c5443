import { compareVersions, isPrerelease, satisfies } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { trace } from "../kernel/trace.ts";
import { CATALOGUE_REGISTRY, catalogueCardLike } from "./catalogue.ts";
import type { PublishedVersion, Registry } from "./registry.ts";

const LISTED_VERSIONS = 20;

interface ResolveOptions {
  /** Whether to consider prereleases that the range doesn't name. */
  prerelease?: boolean;
}

/**
 * The highest version in the range that wasn't yanked; without a range, the highest of all. It may be a prerelease if
 * the option or the range asks for one, or, without a range, if there is nothing else.
 */
export async function resolveCard(
  registry: Registry,
  name: string,
  range: string | null,
  options: ResolveOptions = {},
): Promise<PublishedVersion> {
  const published = await registry.versions(name);
  if (published.length === 0) {
    const advice =
      registry.id === CATALOGUE_REGISTRY
        ? { hint: "drwn search @drwn", meant: meantInstead(name, range) }
        : registry.id.startsWith("npm:")
          ? { details: ["if it is private: a registry answers so, too, without a token for it in your ~/.npmrc"] }
          : {};
    throw new Problem("DRWN_CARD_NOT_FOUND", `${registry.id} has no card ${clean(name)}`, advice);
  }
  const found = pickVersion(published, range, options);
  trace(
    "decide",
    () => `${name}@${range ?? "any"} of ${registry.id}: ${found?.version ?? "none"}, of ${published.length}`,
  );
  if (found !== undefined) return found;
  throw new Problem(
    "DRWN_VERSION_NOT_FOUND",
    range === null
      ? `${clean(name)} has no version that can be installed`
      : `no version of ${clean(name)} is in the range ${clean(range)}`,
    {
      details: describeOffer(registry.id, published),
    },
  );
}

function meantInstead(name: string, range: string | null): Problem["meant"] {
  const like = catalogueCardLike(name);
  if (like === undefined) return undefined;
  const behind = range === null ? "" : `@${range}`;
  return { typed: `${name}${behind}`, word: `${like}${behind}` };
}

/** Like `resolveCard`, for a caller that only looks: a version that is named exactly may be yanked. */
export async function lookUpCard(registry: Registry, name: string, range: string | null): Promise<PublishedVersion> {
  const named = (await registry.versions(name)).find(({ version }) => version === range);
  return named ?? resolveCard(registry, name, range);
}

/** The versions that were published by then, as far as the registry gives times, and the one that is installed. */
export function restedVersions(
  published: readonly PublishedVersion[],
  by: Date | undefined,
  installed: string | null,
): PublishedVersion[] {
  const isYoung = ({ publishedAt }: PublishedVersion): boolean =>
    by !== undefined && publishedAt !== null && Date.parse(publishedAt) > by.getTime();
  return published.filter((one) => one.version === installed || !isYoung(one));
}

/** The one of these versions that `resolveCard` picks; undefined if it picks none. */
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
    `${registry} has: ${there.length === 0 ? "none that drwn may use" : describeVersions(there)}`,
    ...(yanked.length === 0 ? [] : [`yanked: ${describeVersions(yanked)}`]),
  ];
}

function describeVersions(versions: readonly string[]): string {
  const latest = versions.slice(-LISTED_VERSIONS).reverse().join(", ");
  return versions.length > LISTED_VERSIONS ? `${latest} and ${versions.length - LISTED_VERSIONS} before` : latest;
}
