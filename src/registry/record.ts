import { indexedHookSchema } from "../card/hook-index.ts";
import { readFormatIfThere } from "../format/read.ts";
import { instantText, integrityText, treeText, z } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
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
  deprecated: z.string().nullable().default(null),
  yanked: z.boolean().default(false),
  publisher: z.string().nullable().default(null),
});

/** Undefined when there is no such record. A record in the place of another one is refused. */
export function readRecord(file: string, name: string, version: string): PublishedVersion | undefined {
  const record = readFormatIfThere(file, recordSchema);
  return record === undefined ? undefined : checkRecord(record, file, { name, version });
}

function checkRecord(
  record: z.output<typeof recordSchema>,
  file: string,
  { name, version }: { name: string; version: string },
): PublishedVersion {
  if (record.name !== name || record.version !== version) {
    throw new Problem("DRWN_REGISTRY_INVALID", `${file} is not the record of ${name}@${version}`, {
      details: [`it is the record of: ${clean(`${record.name}@${record.version}`)}`],
    });
  }
  const { recordVersion: _, ...published } = record;
  return published;
}

export function printRecord(published: PublishedVersion): string {
  return formatJson({ recordVersion: 1, ...published });
}
