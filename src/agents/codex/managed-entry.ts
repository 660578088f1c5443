import { isDeepStrictEqual } from "node:util";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { isObject } from "../../wiring/json-file.ts";
import { codexTable, readCodexConfig } from "./config.ts";
import { requirementsFile } from "./managed-places.ts";

/**
 * The owner's requirements, if all of these entries are in them; null: they are not. Measured with Codex 0.169.0: their hooks run whoever
 * trusts them, but not where hooks are off.
 */
export function findRequiredEntry(entries: readonly HookEntry[], machine?: string): string | null {
  const file = requirementsFile(machine);
  const hooks = codexTable(readCodexConfig(file), "hooks");
  const holds = ({ event, value }: HookEntry) => {
    const groups = hooks[event];
    return Array.isArray(groups) && groups.some((group) => isObject(group) && isSame(group, value));
  };
  return entries.length > 0 && entries.every(holds) ? file : null;
}

/** For every tool, with each handler as `drwn write` makes it; others may stand beside it. */
function isSame({ matcher, hooks }: Record<string, unknown>, value: HookEntry["value"]): boolean {
  const [found, wanted] = [hooks, value["hooks"]].map((list): unknown[] => (Array.isArray(list) ? list : []));
  if (matcher !== undefined) return false;
  return (
    wanted?.every((one) => found?.some((handler) => isObject(handler) && isDeepStrictEqual({ ...handler }, one))) ===
    true
  );
}
