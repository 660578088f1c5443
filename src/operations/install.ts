import { isRange, satisfies } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { Problem } from "../kernel/problem.ts";
import { type OpenProject, openProject, requireLockInStep } from "../materialize/open-project.ts";
import { projectFiles } from "../project/files.ts";
import { type LockedCard, readLock, writeLock } from "../project/lock.ts";
import { lockCard } from "./lock-card.ts";
import { restoreCard } from "./restore-card.ts";

export interface Installed {
  cards: { name: string; version: string; fetched: boolean }[];
  lockChanged: boolean;
}

/**
 * Brings the store in step with card.lock, and card.lock in step with config.json. With `frozen` the lock is reproduced
 * exactly or the command fails. Nothing of a card is run.
 */
export async function installCards(host: Host, { frozen }: { frozen: boolean }): Promise<Installed> {
  const { key, root } = openProject(host);
  if (frozen && readLock(root) === undefined) {
    throw new Problem("DRWN_LOCK_MISSING", `there is no ${projectFiles.lock(root)} to reproduce`, {
      hint: "drwn install",
    });
  }
  return withLock(layout.lock(host.drwnHome, key), async () => {
    const project = openProject(host);
    if (frozen) requireLockInStep(project);
    const place = { host, base: root };
    const cards: LockedCard[] = [];
    const report: Installed["cards"] = [];
    for (const [name, range] of Object.entries(project.config.cards)) {
      const entry = lockEntryFor(project, name, range);
      const card = entry ?? (await lockCard(place, { name, request: range }, project.lock.cards)).locked;
      const { fetched } = entry === undefined ? { fetched: true } : await restoreCard(place, entry);
      cards.push(card);
      report.push({ name, version: card.version, fetched });
    }
    const lockChanged = JSON.stringify(cards) !== JSON.stringify(project.lock.cards);
    if (lockChanged) writeLock(project.root, { ...project.lock, cards });
    return { cards: report, lockChanged };
  });
}

/** The lock entry that still answers what config.json asks for. */
function lockEntryFor(project: OpenProject, name: string, range: string): LockedCard | undefined {
  const entry = project.lock.cards.find((card) => card.name === name);
  if (entry === undefined) return undefined;
  if (entry.range === range) return entry;
  // A version that came from a place of its own is not the registry's of the same number.
  return isRange(entry.range) && satisfies(entry.version, range) ? { ...entry, range } : undefined;
}
