import fs from "node:fs";
import { packSigned } from "../../card/source/pack.ts";
import { isRange, satisfies } from "../../card/version.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { writeAtomic } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type LockContext, lockCard, type RequestedCard, rememberScopes } from "../../project/fetch/lock-card.ts";
import {
  checkLockedPublisher,
  pinPublishers,
  type RestoreResult,
  restoreCard,
} from "../../project/fetch/restore-card.ts";
import { projectFiles } from "../../project/identity.ts";
import {
  isWithinRange,
  type LockedCard,
  listVendored,
  readLock,
  readVendored,
  vendoredFile,
  writeLock,
} from "../../project/lock.ts";
import { mergeConflicts } from "../../project/merge.ts";
import { readInstalled } from "../../project/open/installed-card.ts";
import { locateRoot } from "../../project/open/locate-project.ts";
import { type OpenProject, openToDecide, requireLockInStep, withProject } from "../../project/open/open-project.ts";
import { CATALOGUE_REGISTRY } from "../../registry/catalogue.ts";
import { isStored } from "../../registry/store.ts";
import { unpack } from "../../registry/tarball-origin.ts";

export interface InstallResult {
  cards: { name: string; version: string; fetched: boolean; deprecated: string | null }[];
  lockChanged: boolean;
  /** The cards that card.lock had and config.json doesn't name, with the words that add them again. */
  notInConfig?: { name: string; spec: string }[];
  /** The files that git could not merge, and drwn has merged: with the cards of both sides. */
  merged?: string[];
}

/**
 * Brings the store in step with card.lock, and card.lock in step with config.json. With `frozen` it reproduces the lock
 * exactly, or fails. Merges what git could not merge in their files. Runs nothing in a card.
 */
export async function installCards(host: Host, { frozen }: { frozen: boolean }): Promise<InstallResult> {
  const merged = frozen ? [] : mergeConflicts(locateRoot(host).root);
  for (const { file, content, mode } of merged) writeAtomic(file, content, mode);
  const install = async (project: OpenProject): Promise<InstallResult> => {
    if (frozen) requireReproducible(project);
    const place = { host, base: project.root, registryOf: rememberScopes(host) };
    const cards: LockedCard[] = [];
    const report: InstallResult["cards"] = [];
    for (const [name, range] of Object.entries(project.config.cards)) {
      const entry = lockEntryFor(project, name, range);
      const { card, fetched, deprecated } =
        entry === undefined
          ? await lockNewly(place, { name, request: range }, project.lock.cards)
          : { card: entry, ...(await restoreCard(place, entry)) };
      cards.push(card);
      report.push({ name, version: card.version, fetched, deprecated });
    }
    const lockChanged = !frozen && JSON.stringify(cards) !== JSON.stringify(project.lock.cards);
    await pinPublishers(host, cards);
    if (lockChanged) writeLock(project.root, { ...project.lock, cards });
    const others = project.lock.cards.filter(({ name }) => !Object.hasOwn(project.config.cards, name));
    return {
      cards: report,
      lockChanged,
      ...(others.length === 0 ? {} : { notInConfig: others.map(toSpec) }),
      ...(merged.length === 0 ? {} : { merged: merged.map(({ file }) => file) }),
    };
  };
  return withProject(host, install, openToDecide);
}

/** A locked card that this machine couldn't get, and why. */
export interface Unfetched {
  card: string;
  version: string;
  problem: Problem;
}

/**
 * Fetches what card.lock names and this machine's store doesn't have, exactly as locked. The answer has the cards of which
 * nothing is here; if it got none at all, it fails.
 */
export async function fetchMissing(host: Host): Promise<Unfetched[]> {
  const isMissing = ({ tree }: LockedCard) => !isStored(host.drwnHome, tree);
  if (!openToDecide(host).lock.cards.some(isMissing)) return [];
  return withProject(
    host,
    async (project) => {
      requireReproducible(project);
      const { root, lock } = project;
      const place = { host, base: root, registryOf: rememberScopes(host) };
      const left: Unfetched[] = [];
      for (const locked of lock.cards) {
        try {
          await restoreCard(place, locked);
        } catch (error) {
          if (!isProblem(error) || !isMissing(locked) || lock.cards.length === left.length + 1) throw error;
          left.push({ card: locked.name, version: locked.version, problem: error });
        }
      }
      await pinPublishers(
        host,
        lock.cards.filter((card) => !isMissing(card)),
      );
      return left;
    },
    openToDecide,
  );
}

function toSpec({ name, range }: LockedCard): { name: string; spec: string } {
  return { name, spec: isRange(range) ? `${name}@${range}` : range };
}

async function lockNewly(
  place: LockContext,
  asked: RequestedCard,
  former: readonly LockedCard[],
): Promise<RestoreResult & { card: LockedCard }> {
  const { locked, deprecated } = await lockCard(place, asked, former);
  return { card: locked, fetched: true, deprecated };
}

function requireReproducible(project: OpenProject): void {
  if (readLock(project.root) === undefined) {
    throw new Problem("DRWN_LOCK_MISSING", `there is no ${projectFiles.lock(project.root)} to reproduce`, {
      hint: drwn("install"),
    });
  }
  requireLockInStep(project);
}

/** The lock entry, if it still matches what config.json asks for. */
function lockEntryFor(project: OpenProject, name: string, range: string): LockedCard | undefined {
  const entry = project.lock.cards.find((card) => card.name === name);
  if (entry === undefined) return undefined;
  if (!isWithinRange(entry)) {
    throw new Problem("DRWN_LOCK_OUTDATED", `card.lock has ${name}@${entry.version} for ${clean(entry.range, 200)}`, {
      hint: advise`restore card.lock from version control, then: ${drwn("install")}`,
    });
  }
  if (entry.range === range) return entry;
  // A version from a source of its own isn't the registry's version with the same number.
  return isRange(entry.range) && satisfies(entry.version, range) ? { ...entry, range } : undefined;
}

export interface VendorResult {
  /** Absolute. */
  written: string[];
  removed: string[];
  /** How many files were already right. */
  unchanged: number;
  dryRun: boolean;
}

/**
 * Puts the tarball of every locked card into the project, to be committed, so that `install` needs neither a registry
 * nor a network. It makes them from the verified store, and removes other files in the vendor folder.
 */
export async function vendorCards(host: Host, { dryRun }: { dryRun: boolean }): Promise<VendorResult> {
  return withProject(host, async (project) => {
    requireLockInStep(project);
    const { root } = project;
    const written: string[] = [];
    const wanted = new Set<string>();
    for (const locked of project.lock.cards) {
      // Every machine takes drwn's own cards from its drwn, and from nowhere else.
      if (locked.source === CATALOGUE_REGISTRY) continue;
      const file = vendoredFile(root, locked);
      wanted.add(file);
      if (await isVendored(root, locked)) continue;
      written.push(file);
      if (dryRun) continue;
      host.progress(`vendoring ${locked.name}@${locked.version}`);
      await restoreCard({ host, base: root }, locked);
      const { files } = readInstalled(host.drwnHome, locked);
      writeAtomic(file, await packSigned(files, checkLockedPublisher(host, locked)), 0o644);
    }
    const removed = listVendored(root).filter((file) => !wanted.has(file));
    if (!dryRun) for (const file of removed) fs.rmSync(file);
    return { written, removed, unchanged: wanted.size - written.length, dryRun };
  });
}

async function isVendored(root: string, locked: LockedCard): Promise<boolean> {
  try {
    const tarball = readVendored(root, locked);
    if (tarball === undefined) return false;
    const { tree, publisher } = await unpack(tarball);
    return tree === locked.tree && publisher === locked.publisher;
  } catch (error) {
    if (isProblem(error)) return false;
    throw error;
  }
}
