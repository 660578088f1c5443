import { layout } from "../contract/layout.ts";
import { listFolder } from "../kernel/atomic.ts";
import type { Host } from "../kernel/host.ts";
import { findProjectRoot } from "../project/identity.ts";
import { readLock } from "../project/lock.ts";
import { foldersOf } from "../project/worktrees.ts";
import { readLedger } from "../trust/ledger-file.ts";

const LEDGER_FILE = /^([0-9a-f]{64})\.json$/u;

/**
 * The trees that something on this machine names: every approval in every ledger, and the lock of each project that a ledger
 * knows, in all its worktrees, and of the one that the command runs in. A ledger or a lock that cannot be read is a problem:
 * nobody knows then what it names.
 */
export function findTreesInUse(host: Host): Set<string> {
  const trees = new Set<string>();
  const roots = new Set<string>();
  const here = findProjectRoot(host.cwd);
  if (here !== undefined) roots.add(here);
  for (const file of listFolder(layout.ledgers(host.drwnHome))) {
    const [, key] = LEDGER_FILE.exec(file) ?? [];
    const ledger = key === undefined ? undefined : readLedger(host.drwnHome, key);
    if (ledger === undefined) continue;
    for (const folder of foldersOf(ledger.project)) roots.add(folder);
    for (const { approved } of ledger.grants) for (const { tree } of approved) trees.add(tree);
  }
  for (const root of roots) for (const { tree } of readLock(root)?.cards ?? []) trees.add(tree);
  return trees;
}
