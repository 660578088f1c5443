import fs from "node:fs";
import path from "node:path";
import { writeIndex } from "../card/build-index.ts";
import type { IndexedHook } from "../card/hook-index.ts";
import { scopeOf } from "../card/name.ts";
import { type PackedCard, packSource } from "../card/pack.ts";
import { signPacked } from "../card/sign-packed.ts";
import { readManifest } from "../card/source.ts";
import { layout } from "../contract/layout.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { Problem } from "../kernel/problem.ts";
import { readKeyFile, readOwnKey } from "../trust/own-keys.ts";
import { findSource } from "./find-source.ts";
import { openNamedRegistry, openRegistryOf } from "./registries.ts";
import { requirePersonWhereConsented } from "./require-person.ts";
import { requireSuccessor } from "./require-successor.ts";

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
}

interface PackRequest {
  source: string;
  /** A key file to sign with; null: the scope's own key, where there is one. */
  key: string | null;
}

/** Compiles, indexes and packs a source into `<scope>-<name>-<version>.tgz` in the current folder, as npm names it. */
export async function packCard(host: Host, request: PackRequest): Promise<PackedReport & { tarball: string }> {
  const packed = await packAndIndex(host, request, { dryRun: false });
  const { name, version } = packed.manifest;
  const tarball = path.join(fs.realpathSync(host.cwd), `${name.slice(1).replace("/", "-")}-${version}.tgz`);
  writeAtomic(tarball, packed.tarball, 0o644);
  return { ...report(packed), tarball };
}

/** Packs a source and publishes it to the registry of its scope, or to one that is named; or says what it would publish. */
export async function publishCard(
  host: Host,
  { dryRun, registry: named, ...request }: PackRequest & { dryRun: boolean; registry?: string | undefined },
): Promise<PackedReport & { registry: string; dryRun: boolean }> {
  const { name } = readManifest(findSource(host, request.source));
  const registry = named === undefined ? await openRegistryOf(host, name) : await openNamedRegistry(host, named);
  const deed = { doing: `publish ${name}, which is consented to`, command: `drwn card publish ${name}` };
  if (!dryRun) requirePersonWhereConsented(host, name, deed);
  const packed = await packAndIndex(host, request, { dryRun });
  await requireSuccessor(registry, packed);
  if (!dryRun) {
    host.progress(`publishing ${name}@${packed.manifest.version} to ${registry.id}`);
    await withLock(layout.lock(host.drwnHome, "registry"), () => registry.publish(packed, host.now()));
  }
  return { ...report(packed), registry: registry.id, dryRun };
}

async function packAndIndex(
  host: Host,
  { source, key }: PackRequest,
  { dryRun }: { dryRun: boolean },
): Promise<PackedCard> {
  const folder = findSource(host, source);
  host.progress(`compiling and indexing ${folder}`);
  const packed = await packSource(folder);
  const signed = await signWithKey(host, packed, key);
  if (!dryRun) writeIndex(folder, packed.index);
  return signed;
}

/** Signs with the key file, or with the key of the card's scope; without either the card stays unsigned. */
async function signWithKey(host: Host, packed: PackedCard, file: string | null): Promise<PackedCard> {
  const { name } = packed.manifest;
  const scope = scopeOf(name);
  const own = file === null ? readOwnKey(host.drwnHome, scope) : readKeyFile(path.resolve(host.cwd, file));
  if (own === undefined) return packed;
  if (own.scope === scope) return signPacked(packed, own);
  throw new Problem("DRWN_KEY_INVALID", `the key is for ${own.scope}, and the card is ${name}`, {
    hint: `drwn key new ${scope}`,
  });
}

function report({ manifest, index, files, tree, tarball, integrity, publisher }: PackedCard): PackedReport {
  return {
    name: manifest.name,
    version: manifest.version,
    integrity,
    tree,
    size: tarball.length,
    files: [...files.keys()],
    hooks: index.hooks,
    publisher,
  };
}
