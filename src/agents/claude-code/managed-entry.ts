import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isProblem } from "../../kernel/problem.ts";
import { type HookGroup, readHookGroups } from "../../wiring/entries/groups.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { openJsonFile } from "../../wiring/json-file.ts";
import { CLAUDE_FORMAT } from "./inspect.ts";
import { ownedFiles } from "./managed.ts";
import type { ManagedPlaces } from "./managed-places.ts";

/**
 * The file in which the machine's owner has put the first of these entries, if all of them are there, for these tools or for more; null:
 * they are not. Measured with Claude Code 2.1.329: the groups of all files count together, and what is wrong in one drops only that one.
 */
export function findManagedEntry(places: ManagedPlaces, entries: readonly HookEntry[]): string | null {
  const found = ownedFiles(places).flatMap((file) => readGroups(file).map((group) => ({ file, group })));
  const holders = entries.map((entry) => found.find(({ group }) => holds(group, entry))?.file);
  const [first] = holders;
  return first === undefined || holders.includes(undefined) ? null : first;
}

function readGroups(file: string): HookGroup[] {
  try {
    return readHookGroups(openJsonFile({ root: path.dirname(file), file }), CLAUDE_FORMAT, () => false);
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

function holds({ event, value: { matcher }, handlers }: HookGroup, entry: HookEntry): boolean {
  const { matcher: wanted, hooks } = entry.value;
  if (event !== entry.event || (matcher !== undefined && matcher !== wanted)) return false;
  const list = Array.isArray(hooks) ? hooks : [];
  return list.every((one) => handlers.some((handler) => isDeepStrictEqual(handler, one)));
}
