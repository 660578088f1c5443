import type { IndexedHook } from "../card/hook-index.ts";
import type { PackedCard } from "../card/pack.ts";
import type { Integrity } from "../kernel/digest.ts";

/** Somewhere that lists, serves and takes cards. */
export interface Registry {
  /** Identity: what locks and grants call it. */
  readonly id: string;
  /** Every published version of the card, the lowest first; none when the registry does not have the card. */
  versions(name: string): Promise<PublishedVersion[]>;
  /** The tarball, whose integrity has been compared with the record. */
  fetch(name: string, version: string): Promise<Buffer>;
  /** A version is published once and never changes. */
  publish(card: PackedCard, now: Date): Promise<void>;
  /** Deprecation and yanking; absent where the source cannot carry it. */
  annotate?(name: string, version: string, note: Annotation): Promise<void>;
  search?(text: string): Promise<FoundCard[]>;
}

/** What is left out stays as it is. */
export interface Annotation {
  /** Why nobody should use it any more; null takes that back. */
  deprecated?: string | null;
  yanked?: boolean;
}

export interface FoundCard {
  name: string;
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
  /** ISO 8601 */
  publishedAt: string;
  hooks: IndexedHook[];
  /** Why nobody should use it any more; null: it is as good as ever. */
  deprecated: string | null;
  /** Taken back: nobody who has not locked it gets it. */
  yanked: boolean;
  /** Key fingerprint of a valid signature in the packed card; null: unsigned, or not known before the download. */
  publisher: string | null;
  /** Of a card from git: the commit that it was packed from. */
  commit?: string;
}

/** What is known of a card that was packed here: nobody has published, deprecated or yanked it. */
export function describePacked(
  { manifest, integrity, tree, index }: PackedCard,
  more: { commit?: string } = {},
): PublishedVersion {
  const { name, version } = manifest;
  const notes = { deprecated: null, yanked: false, publisher: null };
  return {
    name,
    version,
    integrity,
    tree,
    publishedAt: new Date(0).toISOString(),
    hooks: index.hooks,
    ...notes,
    ...more,
  };
}
