import type { PackedCard } from "../card/source/pack.ts";
import type { PublishedVersion, Registry } from "./registry.ts";

/** Where one card comes from that is asked for by its place: a repository, a tarball, a folder. */
export interface VersionSource {
  registry: Registry;
  /** The version that the request picks out. */
  resolve(): Promise<PublishedVersion>;
  /** What a lock entry names, whatever the place's own names mean by now. */
  fetchLocked(locked: { commit?: string }): Promise<PackedCard>;
}
