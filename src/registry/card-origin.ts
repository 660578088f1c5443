import type { PackedCard } from "../card/source/pack.ts";
import type { PublishedVersion, Registry } from "./registry.ts";

/** The source of one card that is requested by its place: a repository, a tarball or a folder. */
export interface CardOrigin {
  registry: Registry;
  /** The version that the request picks out. */
  resolve(): Promise<PublishedVersion>;
  /** What a lock entry names, whatever tags or branches mean by now. */
  fetchLocked(locked: { commit?: string }): Promise<PackedCard>;
}
