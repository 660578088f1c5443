import { layout } from "../../contract/layout.ts";
import { sweepTemporaries } from "../../kernel/atomic.ts";
import type { Host } from "../../kernel/host.ts";
import { type DamagedTree, findStoreDamage, lastPut, listStored, sizeOf } from "../../store/list.ts";
import { openStore } from "../../store/open-store.ts";
import { removeSignatures } from "../../store/signatures.ts";
import { removeStored } from "../../store/store.ts";
import { findTreesInUse } from "../../supply/trees-in-use.ts";

/** Longer than any command takes from storing a card to naming it in a lock. */
const YOUNG_MS = 60 * 60 * 1000;

/** Computes the digest of everything stored again. Changes nothing: `install` puts back what a project needs. */
export function verifyStore(host: Host): { path: string; trees: number; damaged: DamagedTree[] } {
  const { drwnHome: home } = host;
  const trees = listStored(home);
  const damaged = trees.flatMap((tree, at) => {
    host.progress(`verifying stored card ${at + 1} of ${trees.length}`);
    return findStoreDamage(home, tree);
  });
  return { path: layout.store(home), trees: trees.length, damaged };
}

export interface PruneResult {
  dryRun: boolean;
  /** Digests of what was, or would be, removed. */
  removed: string[];
  bytes: number;
  kept: number;
}

/**
 * Removes what nothing on this machine names any more. It doesn't know the locks of projects in which nobody ever
 * consented to a hook: what only they name goes, too, and their next `install` fetches it again. What was stored within
 * the last hour stays: another command may be about to lock it.
 */
export function pruneStore(host: Host, { dryRun }: { dryRun: boolean }): PruneResult {
  const { drwnHome: home } = host;
  const store = openStore(home);
  const oldest = host.now().getTime() - YOUNG_MS;
  const inUse = findTreesInUse(host);
  const all = listStored(home);
  const unused = all.filter((tree) => !inUse.has(tree) && lastPut(home, tree) < oldest);
  const bytes = unused.reduce((sum, tree) => sum + sizeOf(home, tree), 0);
  if (!dryRun) {
    sweepTemporaries(store);
    for (const tree of unused) {
      host.progress(`removing ${tree}`);
      removeSignatures(home, tree);
      removeStored(home, tree);
    }
  }
  return { dryRun, removed: unused, bytes, kept: all.length - unused.length };
}
