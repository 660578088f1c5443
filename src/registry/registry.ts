import type { IndexedHook } from "../card/hooks/hook-index.ts";
import type { PackedCard } from "../card/source/pack.ts";
import type { Integrity } from "../kernel/digest.ts";

/**
 * Who published a version, as far as the drwn that did it could see: `agent` is a command inside an agent's tool call. null:
 * nobody says, as of a version that was put there without drwn.
 */
export type PublishedBy = "person" | "agent" | null;

/** Somewhere that lists, serves and takes cards. */
export interface Registry {
  /** Identity: what locks and grants call it. */
  readonly id: string;
  /** Every published version of the card, the lowest first; none when the registry does not have the card. */
  versions(name: string): Promise<PublishedVersion[]>;
  /** The tarball, whose integrity has been compared with the record. */
  fetch(name: string, version: string): Promise<Buffer>;
  /** A version is published once and never changes. Who did it is noted where the registry has a place for it. */
  publish(card: PackedCard, now: Date, by?: PublishedBy): Promise<void>;
  /** Deprecation and yanking; absent where the source cannot carry it. */
  annotate?(name: string, version: string, note: Annotation): Promise<void>;
  /** The cards that every word of the text is found in; absent where the source cannot be searched. */
  search?(text: string): Promise<FoundCard[]>;
  /** What the registry says for a version in its own name; absent where it has no word for it. */
  endorse?(name: string, version: string): Promise<Endorsement>;
}

/** What an npm registry says for a version beside its digest. None of it is the publisher's word, as a card's own signature is. */
export interface Endorsement {
  /** The registry's signatures over name, version and integrity, compared with the keys that the registry hands out. */
  signatures: RegistrySignature[];
  /** How many keys the registry hands out that can verify one; null: it hands out none, or they could not be read. */
  keys: number | null;
  /** Statements on where the version was built. They are named and were not verified by drwn. */
  provenance: { predicateType: string | null; url: string } | null;
}

export interface RegistrySignature {
  keyid: string;
  /** `unknown`: its key is not among those that the registry hands out. */
  state: "valid" | "invalid" | "expired" | "unknown";
}

/** What is said of a version after it was published. What is left out stays as it is; null takes a deprecation back. */
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

/** What a registry says of one version. Whoever fetches it compares the tarball with every word of it. */
export interface PublishedVersion {
  name: string;
  version: string;
  integrity: Integrity;
  /** Digest of the card's files; "" where the registry cannot tell it before the card was downloaded. */
  tree: string;
  /** ISO 8601; null: nobody has published it, as far as its place tells. */
  publishedAt: string | null;
  hooks: IndexedHook[];
  /** Why not to use it, in its publisher's words; null: nothing is said against it. */
  deprecated: string | null;
  /** True: it is kept for those who have locked it, and nobody else gets it. */
  yanked: boolean;
  /** Key of the valid signature in the packed card; null: it is not signed, or the registry does not tell. */
  publisher: string | null;
  publishedBy: PublishedBy;
  /** Of a card from git: the commit that it was packed from. */
  commit?: string;
}

/** What is known of a card that was packed here or comes alone: nobody has published, deprecated or yanked it. */
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
