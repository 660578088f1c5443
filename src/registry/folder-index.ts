import fs from "node:fs";
import path from "node:path";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import type { Integrity } from "../kernel/digest.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { parseAnswer } from "./http/parse-answer.ts";
import { recordSchema } from "./record.ts";
import type { PublishedVersion } from "./registry.ts";

/** All records of a card, in its folder. No version has this name. */
export const VERSION_LIST = "versions.json";

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
