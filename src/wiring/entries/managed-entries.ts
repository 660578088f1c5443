import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isProblem } from "../../kernel/problem.ts";
import { openJsonFile } from "../json-file.ts";
import { type HookFormat, type HookGroup, readHookGroups } from "./groups.ts";
import type { HookEntry } from "./plan-entries.ts";

/**
 * The file that holds the first of these entries, if each of them is in one of the files, for these tools or more;
 * otherwise null. A file that cannot be read holds none.
 */
export function findHeld(files: readonly string[], entries: readonly HookEntry[], format: HookFormat): string | null {
  const found = files.flatMap((file) => readGroups(file, format).map((group) => ({ file, group })));
  const holders = entries.map((entry) => found.find(({ group }) => holds(group, entry))?.file);
  const [first] = holders;
  return first === undefined || holders.includes(undefined) ? null : first;
}

function readGroups(file: string, format: HookFormat): HookGroup[] {
  try {
    return readHookGroups(openJsonFile({ root: path.dirname(file), file, extras: format.extras }), format, () => false);
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
