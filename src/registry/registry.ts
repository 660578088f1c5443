import type { IndexedHook } from "../card/hooks/hook-index.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { type Integrity, integrityOf, isSameDigest } from "../kernel/digest.ts";
import { parseFormat } from "../kernel/format/read.ts";
import type * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";

/**
 * Who published a version, as far as that drwn could see: `agent` is a command inside an agent's tool call. null:
 * nobody says, for example if the version was put there without drwn.
 */
export type PublishedBy = "person" | "agent" | null;

/** Somewhere that lists, serves and takes cards. */
export interface Registry {
  /** Its name in locks and grants. */
  readonly id: string;
  /** Every published version of the card, the lowest first; none if the registry doesn't have the card. */
  versions(name: string): Promise<PublishedVersion[]>;
  /** The tarball, after comparing its integrity with the record. */
  fetch(name: string, version: string): Promise<Buffer>;
  /** A version is published once and never changes. Notes who did it, if the registry has a place for that. */
  publish(card: PackedCard, now: Date, by?: PublishedBy): Promise<void>;
  /** Finishes what a publisher that was killed left undone; absent if nothing can be. */
  finish?(name: string): Promise<void>;
  /** Deprecates and yanks; absent if the source can't. */
  annotate?(name: string, version: string, note: Annotation): Promise<void>;
  /** The cards that contain every word of the text; absent if the source can't be searched. */
  search?(text: string): Promise<FoundCard[]>;
}

/** Notes on a version after it was published. An absent field stays as it is; null takes a deprecation back. */
export interface Annotation {
  deprecated?: string | null;
  yanked?: boolean;
}

export interface FoundCard {
  name: string;
  /** The one that `add` would take. */
  version: string;
  description: string;
}

/** What a registry says about one version. `fetchVerified` compares the tarball with all of it. */
export interface PublishedVersion {
  name: string;
  version: string;
  integrity: Integrity;
  /** Digest of the card's files; "" if the registry can't tell it before the download. */
  tree: string;
  /** ISO 8601; null: as far as its place tells, nobody has published it. */
  publishedAt: string | null;
  hooks: IndexedHook[];
  /** Why not to use it, in its publisher's words; null: there is no reason. */
  deprecated: string | null;
  /** True: only those who have locked it still get it. */
  yanked: boolean;
  /** Key of the valid signature in the packed card; null: it isn't signed, or the registry doesn't say. */
  publisher: string | null;
  publishedBy: PublishedBy;
  /** For a card from git: the commit that it was packed from. */
  commit?: string;
}

/** Describes a card that was packed here or comes from no registry: nobody has published, deprecated or yanked it. */
export function describePacked(
  { manifest, integrity, tree, index, publisher }: PackedCard,
  more: { commit?: string } = {},
): PublishedVersion {
  const { name, version } = manifest;
  const notes = { deprecated: null, yanked: false, publisher, publishedBy: null };
  return {
    name,
    version,
    integrity,
    tree,
    publishedAt: null,
    hooks: index.hooks,
    ...notes,
    ...more,
  };
}

/** The source of one card that is requested by its place: a repository, a tarball or a folder. */
export interface CardOrigin {
  registry: Registry;
  /** The version that the request picks out. */
  resolve(): Promise<PublishedVersion>;
  /** What a lock entry names, whatever tags or branches mean by now. */
  fetchLocked(locked: { commit?: string }): Promise<PackedCard>;
}

/** The answer of a registry that already has the version, and of a rehearsal of publishing it. */
export function versionExists(
  name: string,
  version: string,
  { where = [], next = "patch" }: { where?: readonly string[]; next?: string } = {},
): Problem {
  return new Problem("DRWN_VERSION_EXISTS", `${name}@${version} is published already`, {
    details: [...where, "a published version never changes"],
    hint: `drwn card source set ${name} --version ${next}`,
  });
}

interface ReceivedTarball {
  published: Pick<PublishedVersion, "integrity" | "name" | "version">;
  /** Undefined: there was nothing. */
  bytes: Buffer | undefined;
  /** Where drwn looked for it, in words for a person. */
  place: string;
  /** What to do if it is another one. */
  hint?: string;
}

/** The bytes, if they are the published tarball; refuses anything else. */
export function requirePublished({ published, bytes, place, hint }: ReceivedTarball): Buffer {
  const { name, version, integrity } = published;
  if (bytes === undefined) {
    throw new Problem("DRWN_REGISTRY_INVALID", `the tarball of ${name}@${version} is missing`, {
      details: [`expected: ${place}`],
    });
  }
  const received = integrityOf(bytes);
  if (isSameDigest(received, integrity)) return bytes;
  throw new Problem("DRWN_INTEGRITY_MISMATCH", `the tarball of ${name}@${version} is not the one that was published`, {
    details: [`published: ${integrity}`, `received: ${received}`],
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Parses what a server sent. If it doesn't fit the schema, the registry is at fault, not a file. */
export function parseAnswer<S extends z.ZodType>(
  bytes: Buffer,
  schema: S,
  { from, maximumBytes }: { from: string; maximumBytes: number },
): z.output<S> {
  try {
    return parseFormat(bytes, schema, { file: from, maximumBytes });
  } catch (error) {
    if (!isProblem(error)) throw error;
    const isPage = /^\s*<(?:!doctype|html)/iu.test(bytes.subarray(0, 100).toString("latin1"));
    throw new Problem("DRWN_REGISTRY_INVALID", error.message, {
      details: isPage ? [`${from} sends a web page: it may want a login, or be no registry`] : error.details,
      cause: error,
    });
  }
}
