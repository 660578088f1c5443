import { createHash } from "node:crypto";
import fs from "node:fs";
import { compareVersions } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import { readFormatIfThere } from "../format/read.ts";
import { z } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import type { Registry } from "./registry.ts";

const schema = z.strictObject({ version: z.literal(1), registry: z.string(), card: z.string(), highest: z.string() });

/**
 * The same registry, held to what it has listed before: one that hands out an older list would keep a fixed guard from
 * its users. Versions may be yanked; that the highest one is gone takes a person.
 */
export function rememberVersions(registry: Registry, home: string): Registry {
  return holdToSeen(registry, home, (file, seen) => writeAtomic(file, formatJson(seen)));
}

/** The same for who only looks: what the registry lists now is not written down. */
export function compareVersionsSeen(registry: Registry, home: string): Registry {
  return holdToSeen(registry, home, () => undefined);
}

type Seen = z.output<typeof schema>;

function holdToSeen(registry: Registry, home: string, keep: (file: string, seen: Seen) => void): Registry {
  const versions: Registry["versions"] = async (name) => {
    const listed = await registry.versions(name);
    const highest = listed
      .map(({ version }) => version)
      .sort(compareVersions)
      .at(-1);
    const file = layout.seen(home, keyOf(registry.id, name));
    const before = readFormatIfThere(file, schema)?.highest;
    if (before !== undefined && (highest === undefined || compareVersions(highest, before) < 0)) {
      throw rolledBack({ id: registry.id, name, before, highest: highest ?? "no version" });
    }
    if (highest !== undefined && highest !== before) {
      keep(file, { version: 1, registry: registry.id, card: name, highest });
    }
    return listed;
  };
  return { ...registry, versions };
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
  return new Problem("DRWN_REGISTRY_ROLLED_BACK", `${id} had ${name}@${before} before, and nothing as high any more`, {
    details: [`it has now: ${highest}`, "it may have been unpublished, or the list may be an old one"],
    hint: `if that is right: drwn registry accept ${name}`,
  });
}
