import { satisfies } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import type { ProblemCode } from "../kernel/codes.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { Problem } from "../kernel/problem.ts";
import { readInstalled } from "../materialize/installed-card.ts";
import { type OpenProject, openProject, requireLockInStep } from "../materialize/open-project.ts";
import { projectFiles } from "../project/files.ts";
import { type LockedCard, readLock, writeLock } from "../project/lock.ts";
import type { Registry } from "../registry/registry.ts";
import { resolveCard } from "../registry/resolve.ts";
import { isStored } from "../store/store.ts";
import { fetchCard, openDefaultRegistry, refetchCard, requireSame } from "./fetch-card.ts";
import { checkLockedPublisher, pinPublishers } from "./publishers.ts";

export interface Installed {
  cards: { name: string; version: string; fetched: boolean; deprecated: string | null }[];
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
    const registry = openDefaultRegistry(host);
    const cards: LockedCard[] = [];
    const report: Installed["cards"] = [];
    for (const [name, range] of Object.entries(project.config.cards)) {
      const entry = lockEntryFor(project, name, range);
      const stored = entry !== undefined && isStored(host.drwnHome, entry.tree);
      const { card, deprecated } =
        entry === undefined
          ? await lockNewly(host, registry, { name, range })
          : await restoreCard(host, registry, entry);
      cards.push(card);
      report.push({ name, version: card.version, fetched: !stored, deprecated });
    }
    const lockChanged = JSON.stringify(cards) !== JSON.stringify(project.lock.cards);
    await pinPublishers(host, cards);
    if (lockChanged) writeLock(project.root, { ...project.lock, cards });
    return { cards: report, lockChanged };
  });
}

interface Restored {
  card: LockedCard;
  deprecated: string | null;
}

/** The lock entry that still answers what config.json asks for. */
function lockEntryFor(project: OpenProject, name: string, range: string): LockedCard | undefined {
  const entry = project.lock.cards.find((card) => card.name === name);
  if (entry === undefined) return undefined;
  if (entry.range === range) return entry;
  return satisfies(entry.version, range) ? { ...entry, range } : undefined;
}

async function lockNewly(
  host: Host,
  registry: Registry,
  { name, range }: { name: string; range: string },
): Promise<Restored> {
  const published = await resolveCard(registry, name, range);
  const card = await fetchCard(host, registry, published);
  return { card: { ...card, range }, deprecated: published.deprecated };
}

/** Makes sure that the store holds exactly the locked bytes, and that the registry still agrees with the lock. */
async function restoreCard(host: Host, registry: Registry, locked: LockedCard): Promise<Restored> {
  if (locked.source !== registry.id) {
    throw new Problem(
      "DRWN_LOCK_OUTDATED",
      `${locked.name} is locked to the registry ${locked.source}, which is not set up here`,
    );
  }
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  const subject = `${locked.name}@${locked.version}`;
  if (published !== undefined) {
    requireSame(subject, "tarball", { expected: locked.integrity, received: published.integrity });
    requireSame(subject, "tree", { expected: locked.tree, received: published.tree });
  }
  if (!isIntact(host, locked)) {
    if (published === undefined) await resolveCard(registry, locked.name, locked.version);
    else await refetchCard(host, registry, { published, locked });
  }
  readInstalled(host.drwnHome, locked);
  checkLockedPublisher(host, locked);
  return { card: locked, deprecated: published?.deprecated ?? null };
}

/** What a stored card suffers from that fetching it again mends. */
const MENDED: readonly ProblemCode[] = ["DRWN_INTEGRITY_MISMATCH", "DRWN_SIGNATURE_MISSING", "DRWN_SIGNATURE_INVALID"];

function isIntact(host: Host, locked: LockedCard): boolean {
  if (!isStored(host.drwnHome, locked.tree)) return false;
  try {
    readInstalled(host.drwnHome, locked);
    return true;
  } catch (error) {
    if (error instanceof Problem && MENDED.includes(error.code)) return false;
    throw error;
  }
}
