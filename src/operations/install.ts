import { satisfies } from "../card/version.ts";
import type { ProblemCode } from "../kernel/codes.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { readInstalled } from "../materialize/installed-card.ts";
import { type OpenProject, requireLockInStep } from "../materialize/open-project.ts";
import { projectFiles } from "../project/files.ts";
import { isInItsRange } from "../project/in-step.ts";
import { type LockedCard, readLock, writeLock } from "../project/lock.ts";
import type { Registry } from "../registry/registry.ts";
import { resolveCard } from "../registry/resolve.ts";
import { readSignatureOf } from "../store/signatures.ts";
import { isStored, readStored } from "../store/store.ts";
import { fetchCard, openDefaultRegistry, refetchCard, requireLocked } from "./fetch-card.ts";
import { checkLockedPublisher, pinPublishers } from "./publishers.ts";
import { withProject } from "./with-project.ts";

export interface Installed {
  cards: { name: string; version: string; fetched: boolean; deprecated: string | null }[];
  lockChanged: boolean;
}

/**
 * Brings the store in step with card.lock, and card.lock in step with config.json. With `frozen` the lock is reproduced
 * exactly or the command fails. Nothing of a card is run.
 */
export async function installCards(host: Host, { frozen }: { frozen: boolean }): Promise<Installed> {
  return withProject(host, async (project) => {
    if (frozen) requireReproducible(project);
    const registry = openDefaultRegistry(host);
    const cards: LockedCard[] = [];
    const report: Installed["cards"] = [];
    for (const [name, range] of Object.entries(project.config.cards)) {
      const entry = lockEntryFor(project, name, range);
      const { card, fetched, deprecated } =
        entry === undefined
          ? await lockNewly(host, registry, { name, range })
          : await restoreCard(host, registry, entry);
      cards.push(card);
      report.push({ name, version: card.version, fetched, deprecated });
    }
    const lockChanged = !frozen && JSON.stringify(cards) !== JSON.stringify(project.lock.cards);
    await pinPublishers(host, cards);
    if (lockChanged) writeLock(project.root, { ...project.lock, cards });
    return { cards: report, lockChanged };
  });
}

interface InstalledCard {
  card: LockedCard;
  fetched: boolean;
  deprecated: string | null;
}

function requireReproducible(project: OpenProject): void {
  if (readLock(project.root) === undefined) {
    throw new Problem("DRWN_LOCK_MISSING", `there is no ${projectFiles.lock(project.root)} to reproduce`, {
      hint: "drwn install",
    });
  }
  requireLockInStep(project);
}

/** The lock entry that still answers what config.json asks for. */
function lockEntryFor(project: OpenProject, name: string, range: string): LockedCard | undefined {
  const entry = project.lock.cards.find((card) => card.name === name);
  if (entry === undefined) return undefined;
  if (!isInItsRange(entry)) {
    throw new Problem("DRWN_LOCK_OUTDATED", `card.lock has ${name}@${entry.version} for the range ${entry.range}`, {
      hint: "restore card.lock from version control, then: drwn install",
    });
  }
  return satisfies(entry.version, range) ? { ...entry, range } : undefined;
}

async function lockNewly(
  host: Host,
  registry: Registry,
  { name, range }: { name: string; range: string },
): Promise<InstalledCard> {
  const published = await resolveCard(registry, name, range);
  const card = { ...(await fetchCard(host, registry, published)), range };
  return { card, fetched: true, deprecated: published.deprecated };
}

/**
 * Makes sure that the store holds exactly the locked bytes, and that the registry still agrees with the lock, and that
 * the card is its publisher's.
 */
async function restoreCard(host: Host, registry: Registry, locked: LockedCard): Promise<InstalledCard> {
  if (locked.source !== registry.id) {
    throw new Problem(
      "DRWN_LOCK_OUTDATED",
      `${locked.name} is locked to the registry ${clean(locked.source, 200)}, which is not set up here`,
      { details: [`set up: ${registry.id}`], hint: "restore card.lock from version control, then: drwn install" },
    );
  }
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  if (published !== undefined) requireLocked(locked, published);
  const isThere = isIntact(host, locked);
  if (!isThere) {
    const source = published ?? (await resolveCard(registry, locked.name, locked.version));
    await refetchCard(host, registry, { published: source, locked });
  }
  readInstalled(host.drwnHome, locked);
  checkLockedPublisher(host, locked);
  return { card: locked, fetched: !isThere, deprecated: published?.deprecated ?? null };
}

/** What a stored card suffers from that fetching it again mends. */
const MENDED: readonly ProblemCode[] = ["DRWN_INTEGRITY_MISMATCH", "DRWN_SIGNATURE_MISSING", "DRWN_SIGNATURE_INVALID"];

/** False also when what is stored was damaged: then it is fetched again. */
function isIntact({ drwnHome: home }: Host, locked: LockedCard): boolean {
  if (!isStored(home, locked.tree)) return false;
  try {
    readStored(home, locked.tree);
    if (locked.publisher !== null) readSignatureOf(home, locked, locked.publisher);
    return true;
  } catch (error) {
    if (error instanceof Problem && MENDED.includes(error.code)) return false;
    throw error;
  }
}
