import path from "node:path";
import { findSource, readSources } from "../../authoring/find-source.ts";
import { INDEX_FILE, type IndexedHook, readHookIndex } from "../../card/hooks/hook-index.ts";
import { hooksOf, MANIFEST_FILE, type Manifest, parseManifest } from "../../card/manifest.ts";
import { type DescribedServer, describeServersOf } from "../../card/server.ts";
import { writeIndex, writeOptionTypes } from "../../card/source/build-index.ts";
import type { SourceChange } from "../../card/source/edit-source.ts";
import { inspectSource } from "../../card/source/inspect.ts";
import { type CardSource, loadSource, readManifestFile } from "../../card/source/source.ts";
import { lintSource } from "../../check/doctor/lint-source.ts";
import type { Host } from "../../kernel/host.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";

interface ListedSource {
  name: string;
  /** null: its card.json cannot be read. */
  version: string | null;
  path: string;
}

/** The sources that this machine knows by name. */
export function listSources(host: Host): ListedSource[] {
  return [...readSources(host)].map(([name, folder]) => ({ name, version: readVersion(folder), path: folder }));
}

interface ShownSource {
  path: string;
  manifest: Manifest;
  /** As the committed index describes them; only the name if the index is missing, or doesn't know the hook. */
  hooks: (IndexedHook | { name: string })[];
  servers: DescribedServer[];
}

/** A source as it is on disk; this compiles and runs nothing. */
export function showSource(host: Host, nameOrPath: string): ShownSource {
  const folder = findSource(host, nameOrPath);
  const source = loadSource(folder);
  const indexed = new Map(readIndexed(source).map((hook) => [hook.name, hook]));
  const { manifest } = source;
  const hooks = hooksOf(manifest).map((name) => indexed.get(name) ?? { name });
  return { path: folder, manifest, hooks, servers: describeServersOf(manifest.servers) };
}

/** The hooks of the committed index; none if there is no index, or it is about other files. */
function readIndexed({ manifest, importable, index }: CardSource): IndexedHook[] {
  if (index === undefined) return [];
  try {
    return readHookIndex(new Map([...importable, [INDEX_FILE, index]]), manifest).hooks;
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

interface SourceReport {
  card: string;
  path: string;
  /** True when nothing keeps the source from being published. */
  ok: boolean;
  hooks: IndexedHook[];
  findings: Finding[];
  /** What this wrote into the source: the index, and the types of options, if they were not current. */
  changes: SourceChange[];
}

/** Compiles and indexes a source, and brings its committed index up to date if nothing is wrong with it. */
export async function doctorSource(host: Host, nameOrPath: string): Promise<SourceReport> {
  const folder = findSource(host, nameOrPath);
  host.progress(`checking ${folder}`);
  const { manifest, index, findings } = await inspectSource(folder);
  const ok = findings.every(({ severity }) => severity !== "error");
  const indexed = ok && index !== undefined ? writeIndex(folder, index) : [];
  const changes = [...indexed, ...(ok && index !== undefined ? writeOptionTypes(folder, index) : [])];
  const remaining = indexed.length > 0 ? findings.filter(({ code }) => code !== "DRWN_INDEX_STALE") : [...findings];
  if (index !== undefined) remaining.push(...(await lintSource(loadSource(folder), index.hooks)));
  const card = manifest?.name ?? nameOrPath;
  return { card, path: folder, ok, hooks: index?.hooks ?? [], findings: remaining, changes };
}

function readVersion(folder: string): string | null {
  try {
    return parseManifest(readManifestFile(folder), { file: path.join(folder, MANIFEST_FILE) }).version;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}
