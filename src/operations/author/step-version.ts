import { findSource } from "../../authoring/find-source.ts";
import { readManifest } from "../../card/source/source.ts";
import { nextVersion } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";

/** The version of a source after this step. */
export function stepVersion(host: Host, source: string, step: "major" | "minor" | "patch"): string {
  return nextVersion(readManifest(findSource(host, source)).version, step);
}
