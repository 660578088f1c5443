import { findHeld } from "../../wiring/entries/managed-entries.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { ownedFiles } from "./check-managed.ts";
import { CLAUDE_FORMAT } from "./inspect.ts";
import type { ManagedPaths } from "./managed-paths.ts";

/**
 * The file that holds the first of these entries, if the machine's owner has put all of them in place; otherwise null.
 * Measured with Claude Code 2.1.329: it combines the groups of all files, and a fault in one file affects only that
 * file.
 */
export function findManagedEntry(places: ManagedPaths, entries: readonly HookEntry[]): string | null {
  return findHeld(ownedFiles(places), entries, CLAUDE_FORMAT);
}
