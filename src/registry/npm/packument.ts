import { indexedHookSchema } from "../../card/hooks/hook-index.ts";
import { compareVersions, isVersion } from "../../card/version.ts";
import type { Integrity } from "../../kernel/digest.ts";
import { instantText, integrityText, treeText } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type PublishedVersion, parseAnswer } from "../registry.ts";

/** A card's version in an npm registry, with the place of its tarball. */
export interface NpmVersion extends PublishedVersion {
  publishedAt: string;
  tarball: string;
}

export const PACKUMENT_BYTES = 32 * 1024 * 1024;

/** npm registries can't yank; a deprecation that begins like this takes the version back, and npm users see why. */
const YANKED = "[yanked]";

const packumentSchema = z.looseObject({
  name: z.string(),
  versions: z.record(z.string(), z.looseObject({})).default({}),
  time: z.record(z.string(), z.unknown()).default({}),
  "dist-tags": z.record(z.string(), z.string()).default({}),
});

export type Packument = z.output<typeof packumentSchema>;

/** Parts that look different from npm's count as absent: nobody needs them. */
const distSchema = z.looseObject({
  tarball: z.string(),
  integrity: z.string(),
});

/** Only a version that drwn has packed lists its hooks, and only a sha512 says which bytes it means. */
const versionSchema = z.looseObject({
  name: z.string(),
  version: z.string().refine(isVersion),
  dist: distSchema,
  drwn: z.looseObject({
    hooks: z.array(indexedHookSchema),
    tree: treeText.optional(),
    publisher: z.string().nullable().optional(),
  }),
  deprecated: z.union([z.string(), z.boolean()]).optional(),
});

export function parsePackument(bytes: Buffer, { file, name }: { file: string; name: string }): Packument {
  const packument = parseAnswer(bytes, packumentSchema, { from: file, maximumBytes: PACKUMENT_BYTES });
  if (packument.name === name) return packument;
  throw new Problem("DRWN_REGISTRY_INVALID", `${file} is about ${clean(packument.name, 120)} and not about ${name}`);
}

/** The versions that are cards, the lowest first. Leaves out versions of other packages, and those without a sha512. */
export function listCardVersions({ name, versions, time }: Packument): NpmVersion[] {
  const found = Object.entries(versions).flatMap(([key, value]): NpmVersion[] => {
    const parsed = versionSchema.safeParse(value);
    const published = instantText.safeParse(time[key]);
    if (!parsed.success || !published.success) return [];
    const { version, dist, drwn, deprecated } = parsed.data;
    const integrity = sha512In(dist.integrity);
    if (version !== key || parsed.data.name !== name || integrity === undefined) return [];
    return [
      {
        name,
        version,
        integrity,
        tree: drwn.tree ?? "",
        publishedAt: published.data,
        hooks: drwn.hooks,
        publisher: drwn.publisher ?? null,
        publishedBy: null,
        tarball: dist.tarball,
        ...readNote(deprecated),
      },
    ];
  });
  return found.sort((left, right) => compareVersions(left.version, right.version));
}

/** The text of npm's deprecation for what drwn says about a version; "" takes it back. */
export function printNote({ deprecated, yanked }: { deprecated: string | null; yanked: boolean }): string {
  return [...(yanked ? [YANKED] : []), ...(deprecated === null ? [] : [deprecated])].join(" ");
}

function readNote(text: string | boolean | undefined): { deprecated: string | null; yanked: boolean } {
  if (text === undefined || text === false || text === "") return { deprecated: null, yanked: false };
  if (text === true) return { deprecated: "deprecated", yanked: false };
  if (!text.startsWith(YANKED)) return { deprecated: text, yanked: false };
  const why = text.slice(YANKED.length).trim();
  return { deprecated: why === "" ? null : why, yanked: true };
}

/** A registry may name several digests, each with options that nobody has defined. */
function sha512In(integrity: string): Integrity | undefined {
  const digests = integrity.split(/\s+/u).map((text) => integrityText.safeParse(text.replace(/\?.*$/u, "")));
  return digests.find((parsed) => parsed.success)?.data;
}
