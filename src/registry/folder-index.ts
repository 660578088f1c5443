import fs from "node:fs";
import path from "node:path";
import { indexedHookSchema } from "../card/hooks/hook-index.ts";
import { publisherKeyText } from "../card/signing/publisher-key.ts";
import type { Integrity } from "../kernel/digest.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import { instantText, integrityText, lineText, treeText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { compareOrdinal } from "../kernel/order.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type FoundCard, type PublishedVersion, parseAnswer } from "./registry.ts";

/** All records of a card, in its folder. No version has this name. */
export const VERSION_LIST = "versions.json";

const recordSchema = z.strictObject({
  recordVersion: z.literal(1),
  name: z.string(),
  version: z.string(),
  integrity: integrityText,
  tree: treeText,
  publishedAt: instantText,
  hooks: z.array(indexedHookSchema),
  publisher: publisherKeyText.nullable().default(null),
  publishedBy: z.enum(["person", "agent"]).nullable().default(null),
  /** Only for searches; drwn decides nothing by them. */
  description: lineText(1_000).default(""),
  keywords: z.array(lineText(100)).default([]),
});

/** A version's record, without what only a search needs, and with the later notes on it. */
const listedSchema = recordSchema
  .omit({ description: true, keywords: true })
  .extend({ deprecated: z.string().nullable().default(null), yanked: z.boolean().default(false) });

const versionListSchema = z.strictObject({ listVersion: z.literal(1), versions: z.array(listedSchema) });

/** The name of a tarball's file, from its content. */
export function blobName(integrity: Integrity): string {
  return `${Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex")}.tgz`;
}

/**
 * Updates the list of a card's versions from its records. It may be lost or stale, since it can be made again. With
 * several writers, the last one sees the records of all, because each looks again after writing.
 */
export function keepVersionList(folder: string, name: string, list: () => PublishedVersion[]): void {
  const file = path.join(folder, "cards", name, VERSION_LIST);
  for (let text = printVersionList(list()); !isThere(file, text); text = printVersionList(list())) {
    writeAtomic(file, text, 0o644);
  }
}

function printVersionList(versions: readonly PublishedVersion[]): string {
  return formatJson({ listVersion: 1, versions: versions.map((published) => ({ recordVersion: 1, ...published })) });
}

interface Received {
  from: string;
  maximumBytes: number;
}

export function parseVersionList(
  bytes: Buffer,
  { name, ...received }: Received & { name: string },
): PublishedVersion[] {
  return parseAnswer(bytes, versionListSchema, received).versions.map(({ recordVersion: _, ...published }) => {
    if (published.name === name) return published;
    throw new Problem("DRWN_REGISTRY_INVALID", `${received.from} is not about ${name}`, {
      details: [`it is about: ${clean(published.name, 120)}`],
    });
  });
}

function isThere(file: string, text: string): boolean {
  return fs.existsSync(file) && fs.readFileSync(file, "utf8") === text;
}

/** What a registry records about a version when it is published; it never changes. */
export interface VersionRecord extends Omit<PublishedVersion, "deprecated" | "yanked"> {
  description: string;
  keywords: string[];
}

/** Undefined if the record is missing. Refuses a record under another version's name. */
export function readRecord(file: string, name: string, version: string): VersionRecord | undefined {
  const record = readFormatIfThere(file, recordSchema);
  if (record === undefined) return undefined;
  if (record.name !== name || record.version !== version) {
    throw new Problem("DRWN_REGISTRY_INVALID", `${file} is not the record of ${name}@${version}`, {
      details: [`it is the record of: ${clean(`${record.name}@${record.version}`)}`],
    });
  }
  const { recordVersion: _, ...published } = record;
  return published;
}

export function printRecord(record: VersionRecord): string {
  return formatJson({ recordVersion: 1, ...record });
}

/** The parts of a card that a search looks at. */
interface SearchedCard extends FoundCard {
  keywords: readonly string[];
}

/** The cards that contain every word, in any case: first those with all words in their name, then by name. */
export function searchListed(cards: readonly SearchedCard[], text: string): FoundCard[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return cards
    .filter(({ name, description, keywords }) => hasWords([name, description, ...keywords].join("\n"), words))
    .map(({ name, version, description }) => ({ name, version, description, isNamed: hasWords(name, words) }))
    .sort((left, right) => Number(right.isNamed) - Number(left.isNamed) || compareOrdinal(left.name, right.name))
    .map(({ isNamed: _, ...found }) => found);
}

function hasWords(text: string, words: readonly string[]): boolean {
  const searched = text.toLowerCase();
  return words.every((word) => searched.includes(word));
}
