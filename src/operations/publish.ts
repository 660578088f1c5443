import fs from "node:fs";
import path from "node:path";
import { writeIndex } from "../card/build-index.ts";
import type { IndexedHook } from "../card/hook-index.ts";
import { type PackedCard, packSource } from "../card/pack.ts";
import { readManifest } from "../card/source.ts";
import { layout } from "../contract/layout.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { findSource } from "./find-source.ts";
import { openNamedRegistry, openRegistryOf } from "./registries.ts";

export interface PackedReport {
  name: string;
  version: string;
  integrity: string;
  tree: string;
  /** Bytes of the tarball. */
  size: number;
  files: string[];
  hooks: IndexedHook[];
}

/** Compiles, indexes and packs a source into `<scope>-<name>-<version>.tgz` in the current folder, as npm names it. */
export async function packCard(host: Host, source: string): Promise<PackedReport & { tarball: string }> {
  const packed = await packAndIndex(host, source);
  const { name, version } = packed.manifest;
  const tarball = path.join(fs.realpathSync(host.cwd), `${name.slice(1).replace("/", "-")}-${version}.tgz`);
  writeAtomic(tarball, packed.tarball, 0o644);
  return { ...report(packed), tarball };
}

/** Packs a source and publishes it to the registry of its scope, or to one that is named; or says what it would publish. */
export async function publishCard(
  host: Host,
  { source, dryRun, registry: named }: { source: string; dryRun: boolean; registry?: string | undefined },
): Promise<PackedReport & { registry: string; dryRun: boolean }> {
  const { name } = readManifest(findSource(host, source));
  const registry = named === undefined ? await openRegistryOf(host, name) : await openNamedRegistry(host, named);
  const packed = await packAndIndex(host, source, { dryRun });
  if (!dryRun) {
    await withLock(layout.lock(host.drwnHome, "registry"), () => registry.publish(packed, host.now()));
  }
  return { ...report(packed), registry: registry.id, dryRun };
}

async function packAndIndex(host: Host, source: string, { dryRun = false } = {}): Promise<PackedCard> {
  const folder = findSource(host, source);
  host.progress(`compiling and indexing ${folder}`);
  const packed = await packSource(folder);
  if (!dryRun) writeIndex(folder, packed.index);
  return packed;
}

function report({ manifest, index, files, tree, tarball, integrity }: PackedCard): PackedReport {
  return {
    name: manifest.name,
    version: manifest.version,
    integrity,
    tree,
    size: tarball.length,
    files: [...files.keys()],
    hooks: index.hooks,
  };
}
