import { createHash } from "node:crypto";
import fs from "node:fs";
import { compareVersions } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import type { Registry } from "./registry.ts";

const schema = z.strictObject({
  version: z.literal(1),
  registry: z.string(),
  card: z.string(),
  highest: z.string(),
  /** Release line (`1`, `0.3`) to the highest version in it, if there is more than one line. */
  lines: z.record(z.string(), z.string()),
});

/**
 * The same registry, but it must list what it has listed before: with an older list it could keep a fixed guard from
 * its users. That goes for each line of releases: a list that ends with 2.0.0 may still keep 1.0.5 from a user who asks
 * for ^1.0.0. Versions may be yanked; if the highest one of a line is gone, a person must decide.
 */
export function rememberVersions(registry: Registry, home: string): Registry {
  return holdToSeen(registry, home, (file, seen) => writeAtomic(file, formatJson(seen)));
}

/** The same for a caller that only looks: it doesn't record what the registry lists now. */
export function compareVersionsSeen(registry: Registry, home: string): Registry {
  return holdToSeen(registry, home, () => undefined);
}

type SeenVersions = z.infer<typeof schema>;

function holdToSeen(registry: Registry, home: string, keep: (file: string, seen: SeenVersions) => void): Registry {
  const versions: Registry["versions"] = async (name) => {
    const listed = await registry.versions(name);
    const seen = summarize(
      registry.id,
      name,
      listed.map(({ version }) => version),
    );
    const file = layout.seen(home, keyOf(registry.id, name));
    const before = readFormatIfThere(file, schema);
    if (before !== undefined) refuseLess(before, seen);
    if (seen !== undefined && JSON.stringify(seen) !== JSON.stringify(before)) keep(file, seen);
    return listed;
  };
  return { ...registry, versions };
}

/** Undefined if nothing is listed. */
function summarize(registry: string, card: string, listed: readonly string[]): SeenVersions | undefined {
  const versions = [...listed].sort(compareVersions);
  const highest = versions.at(-1);
  if (highest === undefined) return undefined;
  const lines = Object.fromEntries(versions.map((version) => [lineOf(version), version]));
  return { version: 1, registry, card, highest, lines: Object.keys(lines).length > 1 ? lines : {} };
}

/** What a caret range keeps: the first number, or the first two if that is 0. */
function lineOf(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `0.${minor}` : major;
}

function refuseLess(before: SeenVersions, seen: SeenVersions | undefined): void {
  const { registry: id, card: name } = before;
  const refuse = (highest: string, was: string) => rolledBack({ id, name, before: was, highest });
  if (seen === undefined) throw refuse("no version", before.highest);
  if (compareVersions(seen.highest, before.highest) < 0) throw refuse(seen.highest, before.highest);
  const linesNow = new Map(Object.entries(seen.lines)).set(lineOf(seen.highest), seen.highest);
  for (const [line, was] of [...Object.entries(before.lines), [lineOf(before.highest), before.highest] as const]) {
    const now = linesNow.get(line);
    if (now === undefined || compareVersions(now, was) < 0) throw refuse(now ?? `no version of ${line}`, was);
  }
}

/** Forgets what the registry has listed of the card. */
export function forgetVersions({ id }: Registry, home: string, name: string): void {
  fs.rmSync(layout.seen(home, keyOf(id, name)), { force: true });
}

function keyOf(id: string, name: string): string {
  return createHash("sha256").update(`${id}\n${name}`).digest("hex");
}

function rolledBack({
  id,
  name,
  before,
  highest,
}: {
  id: string;
  name: string;
  before: string;
  highest: string;
}): Problem {
  return new Problem("DRWN_REGISTRY_ROLLED_BACK", `${id} had ${name}@${before} before, but has nothing as high now`, {
    details: [`it has now: ${highest}`, "it may have been unpublished, or the list may be old"],
    hint: `if that is right: drwn card show ${name} --accept-fewer`,
  });
}
