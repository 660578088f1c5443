import { type IndexedHook, indexedHookSchema } from "../card/hooks/hook-index.ts";
import { readFormatIfThere } from "../format/read.ts";
import { integrityText, treeText } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { drwn } from "../kernel/advice.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import type { FileEdit } from "./commit.ts";
import { cardNameField, requestField, versionField } from "./fields.ts";
import { projectFiles } from "./files.ts";

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
  const lock = readFormatIfThere(file, lockSchema);
  const names = new Set<string>();
  for (const { name } of lock?.cards ?? []) {
    if (names.has(name)) {
      throw new Problem("DRWN_LOCK_OUTDATED", `${file} lists ${name} twice`, { hint: drwn("install") });
    }
    names.add(name);
  }
  return lock;
}

export function writeLock(root: string, lock: Lock): void {
  const { file, content, mode } = editLock(root, lock);
  writeAtomic(file, content, mode);
}

export function editLock(root: string, lock: Lock): FileEdit {
  return { file: projectFiles.lock(root), content: formatJson(lock), mode: 0o644 };
}
