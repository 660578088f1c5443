import fs from "node:fs";
import path from "node:path";
import { findSource } from "../../authoring/find-source.ts";
import { type TestedHook, testCard } from "../../authoring/proving/test-card.ts";
import { listPublishChanges, type PublishChanges, requireSuccessor } from "../../authoring/publish-changes.ts";
import { type SigningRequest, signAsPerson } from "../../authoring/sign-card.ts";
import type { HookProof, IndexedHook } from "../../card/hooks/hook-index.ts";
import { cardScopeOf } from "../../card/name.ts";
import { writeIndex } from "../../card/source/build-index.ts";
import { type PackedCard, packProven, packSource } from "../../card/source/pack.ts";
import { loadSource, readManifest } from "../../card/source/source.ts";
import { findMisreadings } from "../../check/doctor/lint-source.ts";
import { layout } from "../../contract/layout.ts";
import { requireWritable, writeAtomic } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { type Finding, Problem } from "../../kernel/problem.ts";
import { clean, plural, shellQuote } from "../../kernel/text.ts";
import { openNamedRegistry, openRegistryOf } from "../../project/fetch/registries.ts";
import { findActor, requirePerson, requirePersonWhereConsented } from "../../project/open/require-person.ts";
import { requireHonestBump, requireNewVersion } from "../../registry/bump.ts";
import { CATALOGUE_SCOPE, notYours } from "../../registry/catalogue.ts";
import type { PublishedBy } from "../../registry/registry.ts";

export interface PackedReport {
  name: string;
  version: string;
  integrity: string;
  tree: string;
  /** Bytes of the tarball. */
  size: number;
  files: string[];
  hooks: IndexedHook[];
  /** Whose signature it carries; null: nobody's. */
  publisher: string | null;
  /** Whose command it was, as far as drwn can tell; null: the machine requires a terminal, and there is none. */
  by: PublishedBy;
}

interface PackRequest extends SigningRequest {
  source: string;
}

export type PackedTarball = PackedReport & { tarball: string };

/** Compiles, indexes and packs a source into `<scope>-<name>-<version>.tgz` in the current folder, as npm names it. */
export async function packCard(host: Host, { source, ...signing }: PackRequest): Promise<PackedTarball> {
  const plain = await packAndIndex(host, source, { dryRun: false });
  const { packed } = await signAsPerson(host, plain, { ...signing, mayMakeKey: false });
  const { name, version } = packed.manifest;
  const tarball = path.join(fs.realpathSync(host.cwd), `${name.slice(1).replace("/", "-")}-${version}.tgz`);
  requireWritable(tarball);
  writeAtomic(tarball, packed.tarball, 0o644);
  return { ...report(host, packed), tarball };
}

interface PublishRequest extends PackRequest {
  dryRun: boolean;
  /** null: the registry of the card's scope. */
  registry?: string | undefined;
}

export interface PublishedReport extends PackedReport {
  registry: string;
  dryRun: boolean;
  /** The file of the key that was made for the scope; null: there was one, or the card is not signed. */
  madeKey: string | null;
  /** null: nothing was published before. */
  changes: PublishChanges | null;
  /** The results of each hook's cases. */
  tested: TestedHook[];
  /** Hooks about which people would read something wrong before they consent. */
  findings: Finding[];
}

/** Packs a source and publishes it to the registry of its scope, or to one that is named; or says what it would publish. */
export async function publishCard(
  host: Host,
  { source, dryRun, registry: named, ...signing }: PublishRequest,
): Promise<PublishedReport> {
  const folder = findSource(host, source);
  const { name } = readManifest(folder);
  if (cardScopeOf(name) === CATALOGUE_SCOPE) throw notYours(CATALOGUE_SCOPE);
  const registry = named === undefined ? await openRegistryOf(host, name) : await openNamedRegistry(host, named);
  const command = `drwn card publish ${name}`;
  if (!dryRun) requirePersonWhereConsented(host, name, { doing: `publish ${name}, which is consented to`, command });
  const published = await registry.versions(name);
  const isSignedSoFar = published.some(({ publisher }) => publisher !== null);
  if (isSignedSoFar && signing.isSigned !== false)
    requirePerson(host, `sign ${name}, as its earlier versions are`, command);
  // What refuses a version takes a second, and its cases take many.
  const packed = await packAndIndex(host, source, { dryRun });
  const fetch = (version: string) => registry.fetch(name, version);
  // A publisher that was killed may not have updated the registry's list.
  if (!dryRun && published.length > 0)
    await withLock(layout.lock(host.drwnHome, "registry"), async () => registry.finish?.(name));
  await requireNewVersion(packed, published, fetch);
  await requireHonestBump(packed, published, fetch);
  const tested = await requirePassing(host, source, packed);
  const plain = await packProven(packed, proofsOf(tested));
  // Users of the first key would have to refuse a second one.
  const mayMakeKey = !dryRun && !isSignedSoFar;
  const changes = await listPublishChanges(registry, published, plain);
  const { packed: signed, madeKey } = await signAsPerson(host, plain, { ...signing, mayMakeKey });
  await requireSuccessor(published, signed);
  if (!dryRun) {
    host.progress(`publishing ${name}@${signed.manifest.version} to ${registry.id}`);
    const by = findActor(host);
    await withLock(layout.lock(host.drwnHome, "registry"), () => registry.publish(signed, host.now(), by));
  }
  const findings = findMisreadings(loadSource(folder), signed.index.hooks);
  return { ...report(host, signed), registry: registry.id, dryRun, madeKey, changes, tested, findings };
}

/** Leaves out hooks with capabilities: only a person decides to run those. */
async function requirePassing(
  host: Host,
  source: string,
  { manifest, files, index }: PackedCard,
): Promise<TestedHook[]> {
  const command = `drwn card test ${shellQuote(source)}`;
  host.progress(`running the cases of ${manifest.name}`);
  const card = { manifest, files, hooks: index.hooks, from: "source" } as const;
  const unreached = `it declares capabilities: ${command} --run`;
  const { hooks, results } = await testCard({ card, unreached, mutates: true });
  const failed = results.filter(({ state }) => state === "failed");
  if (failed.length === 0) return hooks;
  const names = failed.map(({ hook, case: { id } }) => clean(`${hook}: ${id}`));
  const more = names.length > MOST_NAMED ? [`… ${names.length} in all`] : [];
  throw new Problem("DRWN_CASES_FAILED", `${plural(failed.length, "case")} of ${manifest.name} failed`, {
    details: [...names.slice(0, MOST_NAMED), ...more],
    hint: command,
  });
}

const MOST_NAMED = 20;

/** The part of the results that goes into the index. */
function proofsOf(tested: readonly TestedHook[]): Map<string, HookProof> {
  return new Map(
    tested.flatMap(({ name, cases, refused, allowed, mutants }) => {
      if (mutants === null) return [];
      const { tried, held } = mutants;
      return [[name, { cases, refused, allowed, mutants: { tried, held } }] as const];
    }),
  );
}

async function packAndIndex(host: Host, source: string, { dryRun }: { dryRun: boolean }): Promise<PackedCard> {
  const folder = findSource(host, source);
  host.progress(`compiling and indexing ${folder}`);
  const packed = await packSource(folder);
  if (!dryRun) writeIndex(folder, packed.index);
  return packed;
}

function report(host: Host, packed: PackedCard): PackedReport {
  const { manifest, index, files, tree, tarball, integrity, publisher } = packed;
  return {
    name: manifest.name,
    version: manifest.version,
    integrity,
    tree,
    size: tarball.length,
    files: [...files.keys()],
    hooks: index.hooks,
    publisher,
    by: findActor(host),
  };
}
