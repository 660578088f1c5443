import { layout } from "../../contract/layout.ts";
import { sweepTemporaries } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { findProjectRoot, worktreeFoldersOf } from "../../project/identity.ts";
import { readLock } from "../../project/lock.ts";
import {
  type DamagedTree,
  findStoreDamage,
  lastPut,
  listStored,
  openStore,
  removeSignatures,
  removeStored,
  sizeOf,
} from "../../registry/store.ts";
import { readLedgers } from "../../trust/ledger-file.ts";

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

interface PruneResult {
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

/**
 * The trees that something on this machine names: every approval in every ledger, and the locks of each project that a
 * ledger knows, in all its worktrees, and of the project that the command runs in. If a ledger or lock can't be read,
 * that is a problem: nobody knows what it names.
 */
function findTreesInUse(host: Host): Set<string> {
  const trees = new Set<string>();
  const roots = new Set<string>();
  const here = findProjectRoot(host.cwd);
  if (here !== undefined) roots.add(here);
  for (const { project, grants } of readLedgers(host.drwnHome)) {
    for (const folder of worktreeFoldersOf(project)) roots.add(folder);
    for (const { approved } of grants) for (const { tree } of approved) trees.add(tree);
  }
  for (const root of roots) for (const { tree } of readLock(root)?.cards ?? []) trees.add(tree);
  return trees;
}
