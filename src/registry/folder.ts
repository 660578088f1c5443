import fs from "node:fs";
import path from "node:path";
import { CARD_LIMITS } from "../card/files.ts";
import { isCardName, parseCardName } from "../card/name.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { compareVersions, isVersion, parseVersion } from "../card/version.ts";
import type { Integrity } from "../kernel/digest.ts";
import { createAtomic, listFolder, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readBounded, readFormatIfThere } from "../kernel/format/read.ts";
import { lineText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { requireHonestBump } from "./bump.ts";
import {
  blobName,
  keepVersionList,
  printRecord,
  readRecord,
  searchListed,
  type VersionRecord,
} from "./folder-index.ts";
import {
  type Annotation,
  type FoundCard,
  type PublishedBy,
  type PublishedVersion,
  type Registry,
  requirePublished,
  versionExists,
} from "./registry.ts";
import { pickVersion } from "./resolve.ts";

export interface FolderRegistry extends Registry {
  /** The names of all cards, sorted. */
  list(): Promise<string[]>;
  annotate(name: string, version: string, note: Annotation): Promise<void>;
  search(text: string): Promise<FoundCard[]>;
}

/**
 * A folder as a registry: this machine's own, or one that a team shares. There is nothing to start, and the folder need
 * not exist before the first card is published. `cards/` has a record for each version, `blobs/` the tarballs, named by
 * their content, and `annotations/` later notes on versions. A record appears after its tarball, whole, and never
 * replaces another.
 */
export function openFolderRegistry(folder: string, id: string): FolderRegistry {
  const versions = async (name: string) => listVersions(folder, name);
  return {
    id,
    versions,
    fetch: async (name, version) => fetchTarball(folder, name, version),
    list: async () => listCards(folder),
    annotate: async (name, version, note) => {
      requireRecord(folder, name, version);
      writeAnnotation(annotationFolder(folder, name, version), note);
      keepVersionList(folder, name, () => listVersions(folder, name));
    },
    finish: async (name) => keepVersionList(folder, name, () => listVersions(folder, name)),
    search: async (text) => searchFolder(folder, text),
    publish: async (card, now, by = null) => {
      const { name, version } = card.manifest;
      const published = await versions(name);
      if (published.some((record) => record.version === version)) throw versionExists(name, version);
      await requireHonestBump(card, published, (lower) => fetchTarball(folder, name, lower));
      keepTarball(folder, card);
      const record = printRecord(describe(card, { now, by }));
      if (!createAtomic(recordFile(folder, name, version), record, SHARED)) throw versionExists(name, version);
      keepVersionList(folder, name, () => listVersions(folder, name));
    },
  };
}

/** Others read a shared folder. */
const SHARED = 0o644;

function listVersions(folder: string, name: string): PublishedVersion[] {
  const records = path.join(folder, "cards", parseCardName(name));
  return listFolder(records)
    .flatMap((file) => {
      const version = file.replace(/\.json$/u, "");
      if (version === file || !isVersion(version)) return [];
      const record = readRecord(path.join(records, file), name, version);
      return record === undefined ? [] : withAnnotation(folder, record);
    })
    .sort((left, right) => compareVersions(left.version, right.version));
}

function listCards(folder: string): string[] {
  const cards = path.join(folder, "cards");
  return listFolder(cards)
    .filter((scope) => fs.statSync(path.join(cards, scope)).isDirectory())
    .flatMap((scope) => listFolder(path.join(cards, scope)).map((name) => `${scope}/${name}`))
    .filter((name) => isCardName(name) && fs.statSync(path.join(cards, name)).isDirectory())
    .filter((name) => listVersions(folder, name).length > 0);
}

function withAnnotation(folder: string, record: VersionRecord): PublishedVersion {
  const { description: _, keywords: __, ...published } = record;
  return { ...published, ...readAnnotation(annotationFolder(folder, record.name, record.version)) };
}

function searchFolder(folder: string, text: string): FoundCard[] {
  const cards = listCards(folder).flatMap((name) => {
    const picked = pickVersion(listVersions(folder, name), null);
    if (picked === undefined) return [];
    const { version, description, keywords } = requireRecord(folder, name, picked.version);
    return [{ name, version, description, keywords }];
  });
  return searchListed(cards, text);
}

function requireRecord(folder: string, name: string, version: string): VersionRecord {
  const record = readRecord(recordFile(folder, name, version), name, version);
  if (record !== undefined) return record;
  throw new Problem("DRWN_VERSION_NOT_FOUND", `${folder} has no ${name}@${version}`);
}

/** Who published exactly this content, as the folder's record says; null also if there is no record of it. */
export function readWhoPublished(
  folder: string,
  { name, version, tree }: { name: string; version: string; tree: string },
): PublishedBy {
  try {
    const record = readRecord(recordFile(folder, name, version), name, version);
    return record?.tree === tree ? record.publishedBy : null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

function fetchTarball(folder: string, name: string, version: string): Buffer {
  const record = requireRecord(folder, name, version);
  const file = blobFile(folder, record.integrity);
  const bytes = readBounded(file, { maximumBytes: CARD_LIMITS.tarballBytes });
  const hint = `find out who changed ${file}; a published version never changes`;
  return requirePublished({ published: { name, version, integrity: record.integrity }, bytes, place: file, hint });
}

function keepTarball(folder: string, { tarball, integrity }: PackedCard): void {
  const file = blobFile(folder, integrity);
  if (createAtomic(file, tarball, SHARED)) return;
  // The name says what must be in it; whatever else is there was damaged after it was written.
  if (!fs.readFileSync(file).equals(tarball)) writeAtomic(file, tarball, SHARED);
}

function describe(card: PackedCard, { now, by }: { now: Date; by: PublishedBy }): VersionRecord {
  const { manifest, integrity, tree, index, publisher } = card;
  const { name, version, description = "", keywords = [] } = manifest;
  const publishedAt = now.toISOString();
  const who = { publisher, publishedBy: by };
  return { name, version, integrity, tree, publishedAt, hooks: index.hooks, ...who, description, keywords };
}

function recordFile(folder: string, name: string, version: string): string {
  return path.join(folder, "cards", parseCardName(name), `${parseVersion(version)}.json`);
}

function annotationFolder(folder: string, name: string, version: string): string {
  return path.join(folder, "annotations", parseCardName(name), parseVersion(version));
}

function blobFile(folder: string, integrity: Integrity): string {
  return path.join(folder, "blobs", blobName(integrity));
}

const MOST_CHARACTERS = 500;

const deprecation = z.strictObject({ annotationVersion: z.literal(1), deprecated: lineText(MOST_CHARACTERS).min(1) });
const yank = z.strictObject({ annotationVersion: z.literal(1), yanked: z.literal(true) });

/** Refuses a text that doesn't fit into one line. */
function parseDeprecation(text: string): string {
  const parsed = deprecation.shape.deprecated.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new Problem("DRWN_DEPRECATION_INVALID", "the text of a deprecation is one line that says what to use instead", {
    details: [`expected: 1 to ${MOST_CHARACTERS} characters without line ends`, `received: ${text.length} characters`],
  });
}

/**
 * What was said about a version after it was published. Each kind of note is a separate file in the version's folder:
 * two people who say different things at once don't undo each other.
 */
function readAnnotation(folder: string): Required<Annotation> {
  return {
    deprecated: readFormatIfThere(deprecationFile(folder), deprecation)?.deprecated ?? null,
    yanked: readFormatIfThere(yankFile(folder), yank) !== undefined,
  };
}

function writeAnnotation(folder: string, { deprecated, yanked }: Annotation): void {
  if (deprecated === null) withdraw(deprecationFile(folder));
  else if (deprecated !== undefined) note(deprecationFile(folder), { deprecated: parseDeprecation(deprecated) });
  if (yanked === true) note(yankFile(folder), { yanked });
  else if (yanked === false) withdraw(yankFile(folder));
}

function note(file: string, said: object): void {
  writeAtomic(file, formatJson({ annotationVersion: 1, ...said }), SHARED);
}

function withdraw(file: string): void {
  fs.rmSync(file, { force: true });
}

function deprecationFile(folder: string): string {
  return path.join(folder, "deprecated.json");
}

function yankFile(folder: string): string {
  return path.join(folder, "yanked.json");
}
