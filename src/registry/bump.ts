import { readKnownCard } from "../card/archive/read-card.ts";
import { readTarball } from "../card/archive/tarball.ts";
import type { HookIndex, IndexedHook } from "../card/hooks/hook-index.ts";
import { type Manifest, skillsOf } from "../card/manifest.ts";
import { takesAllOf } from "../card/matcher.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { type Bump, bumpBetween, compareVersions, isPrerelease, nextVersion } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { type PublishedVersion, versionExists } from "./registry.ts";

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

/** Refuses a version that is published already, and names the one that these contents can have. */
export async function requireNewVersion(
  card: PackedCard,
  published: readonly PublishedVersion[],
  fetch: (version: string) => Buffer | Promise<Buffer>,
): Promise<void> {
  const { name, version } = card.manifest;
  if (!published.some((one) => one.version === version)) return;
  const highest =
    published
      .map((one) => one.version)
      .sort(compareVersions)
      .at(-1) ?? version;
  const changes = listChanges(readKnownCard(await readTarball(await fetch(highest))), card);
  const next = isPrerelease(highest) ? "patch" : nextVersion(highest, neededBump(highest, changes));
  throw versionExists(name, version, { next });
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

/** A change that a card's user notices. A version without any is a patch. */
export interface CardChange {
  bump: "major" | "minor";
  what: string;
}

interface Compared {
  manifest: Manifest;
  index: HookIndex;
}

function listChanges(before: Compared, after: Compared): CardChange[] {
  return [
    ...changesOfNames("hook", namesOf(before.index.hooks), namesOf(after.index.hooks)),
    ...before.index.hooks.flatMap((hook) => {
      const now = after.index.hooks.find(({ name }) => name === hook.name);
      return now === undefined ? [] : changesOfHook(hook, now);
    }),
    ...changesOfPromise(before.manifest, after.manifest),
    ...changesOfNames("skill", skillsOf(before.manifest), skillsOf(after.manifest)),
    ...changesOfServers(before.manifest, after.manifest),
  ];
}

function changesOfHook(from: IndexedHook, to: IndexedHook): CardChange[] {
  const changes: CardChange[] = [];
  const note = (bump: CardChange["bump"], what: string) =>
    changes.push({ bump, what: `hook \`${from.name}\`: ${what}` });
  if (from.kind !== to.kind) note("major", `${from.kind} becomes ${to.kind}`);
  if (from.matcher !== to.matcher) {
    const bump = takesAllOf(to.matcher, from.matcher) === true ? "minor" : "major";
    note(bump, `the matcher ${from.matcher ?? "(every tool)"} becomes ${to.matcher ?? "(every tool)"}`);
  }
  const lost = from.phases.filter((phase) => !to.phases.includes(phase));
  const gained = to.phases.filter((phase) => !from.phases.includes(phase));
  if (lost.length > 0) note("major", `it leaves the phase ${lost.join(", ")}`);
  if (gained.length > 0) note("minor", `it joins the phase ${gained.join(", ")}`);
  const asked = to.capabilities.filter((capability) => !from.capabilities.includes(capability));
  if (asked.length > 0) note("minor", `it asks for ${asked.join(", ")}`);
  for (const [option, declared] of Object.entries(from.options ?? {})) {
    const now = to.options?.[option];
    if (now === undefined || now.type !== declared.type)
      note("major", `option \`${option}\` is gone, or of another type`);
  }
  const added = Object.keys(to.options ?? {}).filter((option) => !Object.hasOwn(from.options ?? {}, option));
  if (added.length > 0) note("minor", `it has the option ${added.join(", ")}`);
  if (to.timeoutMs > from.timeoutMs) note("minor", `it may take ${to.timeoutMs} ms instead of ${from.timeoutMs}`);
  return changes;
}

function changesOfNames(noun: string, before: readonly string[], after: readonly string[]): CardChange[] {
  const removed = before.filter((name) => !after.includes(name));
  const added = after.filter((name) => !before.includes(name));
  return [
    ...removed.map((name): CardChange => ({ bump: "major", what: `${noun} \`${name}\` is removed` })),
    ...added.map((name): CardChange => ({ bump: "minor", what: `${noun} \`${name}\` is added` })),
  ];
}

function changesOfPromise(before: Manifest, after: Manifest): CardChange[] {
  const from = before.hooks?.restrictOnly === true;
  const to = after.hooks?.restrictOnly === true;
  if (from === to) return [];
  return [{ bump: "major", what: to ? "it can only say no" : "it can do more than say no" }];
}

function changesOfServers(before: Manifest, after: Manifest): CardChange[] {
  const from = before.servers ?? {};
  const to = after.servers ?? {};
  const changed = Object.keys(from).filter(
    (name) => Object.hasOwn(to, name) && JSON.stringify(from[name]) !== JSON.stringify(to[name]),
  );
  return [
    ...changesOfNames("server", Object.keys(from), Object.keys(to)),
    ...changed.map((name): CardChange => ({ bump: "minor", what: `server \`${name}\` starts differently` })),
  ];
}

function namesOf(hooks: readonly IndexedHook[]): string[] {
  return hooks.map(({ name }) => name);
}
