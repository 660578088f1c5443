import { findSource } from "../../authoring/find-source.ts";
import type { SourceChange } from "../../card/source/change.ts";
import { setFields } from "../../card/source/fields.ts";
import { readManifest } from "../../card/source/source.ts";
import { nextVersion, parseVersion } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";

export interface VersionStep {
  card: string;
  from: string;
  to: string;
  dryRun: boolean;
  changes: SourceChange[];
}

/** Sets the version that a source will be published as: a step up from its current one, or any version. */
export function setVersion(
  host: Host,
  { source, step, dryRun }: { source: string; step: string; dryRun: boolean },
): VersionStep {
  const dir = findSource(host, source);
  const { name, version: from } = readManifest(dir);
  const to = isStep(step) ? nextVersion(from, step) : parseVersion(step);
  const changes = setFields(dir, { version: to }, { dryRun });
  return { card: name, from, to, dryRun, changes };
}

function isStep(text: string): text is "major" | "minor" | "patch" {
  return text === "major" || text === "minor" || text === "patch";
}
