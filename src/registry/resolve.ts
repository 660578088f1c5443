import { compareVersions, isPrerelease, satisfies } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { PublishedVersion, Registry } from "./registry.ts";

const LISTED_VERSIONS = 20;

/**
 * The highest version in the range that is neither yanked nor, unless asked for, a prerelease; without a range the highest
 * one, a release where there is any.
 */
export async function resolveCard(
  registry: Registry,
  name: string,
  range: string | null,
  { prerelease = false }: { prerelease?: boolean } = {},
): Promise<PublishedVersion> {
  const published = await registry.versions(name);
  if (published.length === 0) {
    throw new Problem("DRWN_CARD_NOT_FOUND", `${registry.id} has no card ${clean(name)}`);
  }
  const found = published
    .filter(({ version, yanked }) => !yanked && (range === null || satisfies(version, range, { prerelease })))
    .sort((left, right) => (prerelease ? compareVersions : comparePreferred)(left.version, right.version))
    .at(-1);
  if (found !== undefined) return found;
  const there = published.map(({ version, yanked }) => (yanked ? `${version} (yanked)` : version));
  throw new Problem("DRWN_VERSION_NOT_FOUND", `${clean(name)} has no version in ${clean(range ?? "")}`, {
    details: [`${registry.id} has: ${describeVersions(there)}`],
  });
}

function comparePreferred(left: string, right: string): number {
  if (isPrerelease(left) !== isPrerelease(right)) return isPrerelease(left) ? -1 : 1;
  return compareVersions(left, right);
}

function describeVersions(versions: readonly string[]): string {
  const latest = versions.slice(-LISTED_VERSIONS).reverse().join(", ");
  return versions.length > LISTED_VERSIONS ? `${latest} and ${versions.length - LISTED_VERSIONS} before` : latest;
}
