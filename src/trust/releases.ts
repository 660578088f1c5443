import { layout } from "../contract/layout.ts";
import { readFormatIfThere } from "../format/read.ts";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { writeAtomic } from "../kernel/atomic.ts";

const instant = z.iso.datetime();

const schema = z.strictObject({
  version: z.literal(1),
  tree: z.string(),
  firstSeenAt: instant,
  /** When this machine learned that it was yanked; null: it was not, or not any more. */
  yankedAt: instant.nullable(),
});

/** What this machine remembers of one content of a card, wherever it came from. Projects share it, and no project can say it. */
export type Release = z.infer<typeof schema>;

/** Undefined when the machine has never seen this content. */
export function readRelease(home: string, tree: string): Release | undefined {
  return readFormatIfThere(layout.release(home, tree), schema);
}

/** Notes when the machine saw this content first; what it knows already stays. */
export function rememberRelease(home: string, tree: string, now: Date): void {
  if (readRelease(home, tree) === undefined) {
    writeRelease(home, { version: 1, tree, firstSeenAt: now.toISOString(), yankedAt: null });
  }
}

/** Notes what a registry says of a content that the machine has seen. */
export function rememberYank(home: string, tree: string, { yanked, now }: { yanked: boolean; now: Date }): void {
  const known = readRelease(home, tree);
  if (known === undefined || (known.yankedAt !== null) === yanked) return;
  writeRelease(home, { ...known, yankedAt: yanked ? now.toISOString() : null });
}

function writeRelease(home: string, release: Release): void {
  writeAtomic(layout.release(home, release.tree), formatJson(release), 0o600);
}
