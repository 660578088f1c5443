import { readKnownCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { type Bump, bumpBetween, compareVersions, isPrerelease, nextVersion } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { type CardChange, listChanges } from "./card-changes.ts";
import type { PublishedVersion } from "./registry.ts";

const ORDER: readonly Bump[] = ["none", "patch", "minor", "major"];

/**
 * Refuses a version whose step from the highest lower release is too small for what changed: removing or narrowing a
 * guard needs a major step, adding to it a minor one. Before 1.0.0 every step counts one lower, as usual in semver.
 */
export async function requireHonestBump(
  card: PackedCard,
  published: readonly PublishedVersion[],
  fetch: (version: string) => Buffer | Promise<Buffer>,
): Promise<void> {
  const { name, version } = card.manifest;
  const former = formerRelease(published, version);
  if (former === undefined) return;
  const before = readKnownCard(await readTarball(await fetch(former.version)));
  const changes = listChanges(before, card);
  const needed = neededBump(former.version, changes);
  const step = bumpBetween(former.version, version);
  if (ORDER.indexOf(step) >= ORDER.indexOf(needed)) return;
  const next = nextVersion(former.version, needed);
  throw new Problem(
    "DRWN_BUMP_TOO_SMALL",
    `${name}@${version} changes more than a ${step} step from ${former.version} allows`,
    {
      details: changes.map(({ bump, what }) => `${bump}: ${what}`),
      hint: hintFor(name, next, published),
    },
  );
}

/** For a back-port the next version may be taken: then the change belongs on top of what is published. */
function hintFor(name: string, next: string, published: readonly PublishedVersion[]): string {
  const isTaken = published.some(({ version }) => version === next);
  if (!isTaken) return `drwn card source set ${name} --version ${next}`;
  const highest = published
    .map(({ version }) => version)
    .sort(compareVersions)
    .at(-1);
  return `${next} is published already: make the change on top of ${highest}, or leave out what needs that step`;
}

function formerRelease(published: readonly PublishedVersion[], version: string): PublishedVersion | undefined {
  return published
    .filter((record) => !isPrerelease(record.version) && compareVersions(record.version, version) < 0)
    .sort((left, right) => compareVersions(left.version, right.version))
    .at(-1);
}

function neededBump(from: string, changes: readonly CardChange[]): Exclude<Bump, "none"> {
  const largest = changes.some(({ bump }) => bump === "major") ? "major" : changes.length > 0 ? "minor" : "patch";
  if (!from.startsWith("0.")) return largest;
  return largest === "major" ? "minor" : "patch";
}
