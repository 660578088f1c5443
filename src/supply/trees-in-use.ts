import type { Host } from "../kernel/host.ts";
import { findProjectRoot } from "../project/identity.ts";
import { readLock } from "../project/lock.ts";
import { worktreeFoldersOf } from "../project/worktrees.ts";
import { readLedgers } from "../trust/ledger-file.ts";

/**
 * The trees that something on this machine names: every approval in every ledger, and the locks of each project that a
 * ledger knows, in all its worktrees, and of the project that the command runs in. If a ledger or lock can't be read,
 * that is a problem: nobody knows what it names.
 */
export function findTreesInUse(host: Host): Set<string> {
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
