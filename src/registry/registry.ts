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
}

/** What a registry says of one version. Whoever fetches it compares the tarball with every word of it. */
export interface PublishedVersion {
  name: string;
  version: string;
  integrity: Integrity;
  /** Digest of the card's files. */
  tree: string;
  /** ISO 8601 */
  publishedAt: string;
  hooks: IndexedHook[];
}
