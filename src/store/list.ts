import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { listFolder } from "../kernel/atomic.ts";
import { isProblem } from "../kernel/problem.ts";
import { isStored, isTreeDigest, readStored } from "./store.ts";

/** A tree with files that have changed since they were stored. */
export interface DamagedTree {
  tree: string;
  message: string;
}

/** The digests of everything stored, sorted. */
export function listStored(home: string): string[] {
  return listFolder(layout.store(home)).filter((name) => isTreeDigest(name) && isStored(home, name));
}

/** What is wrong with a stored tree; empty if it hasn't changed. */
export function findStoreDamage(home: string, tree: string): DamagedTree[] {
  try {
    readStored(home, tree);
    return [];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [{ tree, message: [error.message, ...error.details].join("; ") }];
  }
}

/** When the tree was last put, in milliseconds; putting it again renews that. */
export function lastPut(home: string, tree: string): number {
  return fs.statSync(path.join(layout.store(home), tree)).mtimeMs;
}

/** Bytes of its files. */
export function sizeOf(home: string, tree: string): number {
  const folder = path.join(layout.store(home), tree);
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((bytes, entry) => bytes + fs.lstatSync(path.join(entry.parentPath, entry.name)).size, 0);
}
