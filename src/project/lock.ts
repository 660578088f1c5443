import fs from "node:fs";
import path from "node:path";
import { walkTree } from "../card/archive/tree.ts";
import { CARD_LIMITS } from "../card/files.ts";
import { type IndexedHook, indexedHookSchema } from "../card/hooks/hook-index.ts";
import { parseCardName } from "../card/name.ts";
import { isVersionOf, parseRequest } from "../card/request.ts";
import { parseVersion } from "../card/version.ts";
import { drwn } from "../kernel/advice.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readBounded, readFormatIfThere } from "../kernel/format/read.ts";
import { integrityText, treeText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import type { FileEdit } from "./commit.ts";
import { cardNameField, isForeignLock, type ProjectConfig, requestField, versionField } from "./config.ts";
import { projectFiles } from "./identity.ts";

const lockedCard = z.strictObject({
  name: cardNameField,
  /** The range, or the source, that config.json asked for when this was locked. */
  range: requestField,
  version: versionField,
  /** Identity of the registry. */
  source: z.string(),
  /** For a card from git: the commit that it was packed from. */
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u)
    .exactOptional(),
  /** sha512 of the tarball. */
  integrity: integrityText,
  /** Digest of the card's files. */
  tree: treeText,
  hooks: z.array(indexedHookSchema),
  /** Key of the publisher's signature; null: unsigned. */
  publisher: z.string().nullable(),
});

export const lockSchema = z.strictObject({ lockfileVersion: z.literal(1), cards: z.array(lockedCard) });

/** `.agents/drwn/card.lock`: the exact cards of the project, in the order in which their policies run. */
export interface Lock {
  lockfileVersion: 1;
  cards: LockedCard[];
}

export interface LockedCard extends Omit<z.infer<typeof lockedCard>, "hooks" | "integrity" | "tree"> {
  integrity: string;
  tree: string;
  hooks: IndexedHook[];
}

export const EMPTY_LOCK: Lock = { lockfileVersion: 1, cards: [] };

/** Undefined if there is none. */
export function readLock(root: string): Lock | undefined {
  const file = projectFiles.lock(root);
  const lock = readOwn(root, file);
  const names = new Set<string>();
  for (const { name } of lock?.cards ?? []) {
    if (names.has(name)) {
      throw new Problem("DRWN_LOCK_OUTDATED", `${file} lists ${name} twice`, { hint: drwn("install") });
    }
    names.add(name);
  }
  return lock;
}

function readOwn(root: string, file: string): Lock | undefined {
  try {
    return readFormatIfThere(file, lockSchema);
  } catch (error) {
    if (!isForeignLock(file)) throw error;
    const next = fs.existsSync(projectFiles.config(root)) ? "drwn install" : "drwn init";
    throw new Problem("DRWN_PROJECT_FOREIGN", `${clean(file)} belongs to another tool that is called drwn, too`, {
      hint: `keep that tool, or put its file aside: mv ${shellQuote(file)} ${shellQuote(`${file}-other`)} && ${next}`,
      cause: error,
    });
  }
}

export function writeLock(root: string, lock: Lock): void {
  const { file, content, mode } = editLock(root, lock);
  writeAtomic(file, content, mode);
}

export function editLock(root: string, lock: Lock): FileEdit {
  return { file: projectFiles.lock(root), content: formatJson(lock), mode: 0o644 };
}

/** Where card.lock doesn't match config.json, one line for each card; empty: it matches. */
export function findMismatches(config: ProjectConfig, lock: Lock): string[] {
  const locked = new Map(lock.cards.map((card) => [card.name, card]));
  const asked = Object.entries(config.cards).flatMap(([name, range]) => {
    const card = locked.get(name);
    locked.delete(name);
    if (card === undefined) return [`${name} is in config.json, but not in card.lock`];
    if (card.range !== range) return [`${name} is asked for as ${range}, but was locked for ${card.range}`];
    return isWithinRange(card) ? [] : [`${name} is asked for as ${range}, but ${card.version} is locked`];
  });
  return [...asked, ...[...locked.keys()].map((name) => `${name} is in card.lock, but not in config.json`)];
}

/** False only if somebody edited the entry by hand: drwn locks nothing outside the requested range. */
export function isWithinRange({ version, range }: LockedCard): boolean {
  return isVersionOf(version, parseRequest(range));
}

/** Where the project keeps the tarball of a card that it has vendored. */
export function vendoredFile(root: string, { name, version }: { name: string; version: string }): string {
  return path.join(projectFiles.vendor(root), parseCardName(name), `${parseVersion(version)}.tgz`);
}

/** Undefined if it isn't vendored. Callers compare the bytes with the lock. */
export function readVendored(root: string, card: { name: string; version: string }): Buffer | undefined {
  return readBounded(vendoredFile(root, card), { maximumBytes: CARD_LIMITS.tarballBytes });
}

/** Every file in the vendor folder, absolute. */
export function listVendored(root: string): string[] {
  const folder = projectFiles.vendor(root);
  return walkTree(folder, { maximum: 10 * CARD_LIMITS.files })
    .filter(({ kind }) => kind !== "folder")
    .map((entry) => path.join(folder, entry.path));
}
