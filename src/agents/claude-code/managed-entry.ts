import { findHeld } from "../../wiring/entries/held-entries.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { CLAUDE_FORMAT } from "./inspect.ts";
import { ownedFiles } from "./managed.ts";
import type { ManagedPlaces } from "./managed-places.ts";

/**
 * The file in which the machine's owner has put the first of these entries, if all of them are there; null: they are not. Measured with
 * Claude Code 2.1.329: the groups of all files count together, and what is wrong in one drops only that one.
 */
export function findManagedEntry(places: ManagedPlaces, entries: readonly HookEntry[]): string | null {
  return findHeld(ownedFiles(places), entries, CLAUDE_FORMAT);
}
