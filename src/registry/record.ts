import { indexedHookSchema } from "../card/hooks/hook-index.ts";
import { publisherKeyText } from "../card/signing/publisher-key.ts";
import { readFormatIfThere } from "../format/read.ts";
import { instantText, integrityText, lineText, treeText } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { PublishedVersion } from "./registry.ts";

export const recordSchema = z.strictObject({
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
