import { isDeepStrictEqual } from "node:util";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { isObject } from "../../wiring/json-file.ts";
import { codexTable, readCodexConfig } from "./config.ts";
import { requirementsFile } from "./managed-paths.ts";

/**
 * The owner's requirements file, if it holds all of these entries; otherwise null. Measured with Codex 0.169.0: its
 * hooks run whether or not anybody trusts them, but not if hooks are off.
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

/** Whether the group is for every tool and has each handler as `drwn write` makes it, perhaps beside others. */
function isSame({ matcher, hooks }: Record<string, unknown>, value: HookEntry["value"]): boolean {
  const [found, wanted] = [hooks, value["hooks"]].map((list): unknown[] => (Array.isArray(list) ? list : []));
  if (matcher !== undefined) return false;
  return (
    wanted?.every((one) => found?.some((handler) => isObject(handler) && isDeepStrictEqual({ ...handler }, one))) ===
    true
  );
}
