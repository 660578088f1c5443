import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { formatJson } from "../../format/write.ts";
import { readTarget } from "../../wiring/changes.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { planOwnFile } from "../../wiring/own-file.ts";
import { missingFolders } from "../../wiring/place.ts";
import type { PlannedHooks, SystemHooksRequest } from "../../wiring/target.ts";
import { hasModsSwitch, MODS_SWITCH } from "./managed.ts";
import { managedFolder } from "./managed-places.ts";
import { needsNoHelp, type RootsShell } from "./roots-shell.ts";

/**
 * A file of drwn's own beside the owner's settings. Measured with Claude Code 2.1.329: the groups of all files count together, users
 * cannot switch them off, and mods neither answer in their place nor overrule them.
 */
export function planClaudeSystem(
  { home, below, originOf, hasMods }: SystemHooksRequest,
  entriesFor: (shell: RootsShell) => readonly HookEntry[],
): PlannedHooks {
  const folder = path.join(below, managedFolder(process.platform) ?? "", "managed-settings.d");
  const file = path.join(folder, "50-drwn.json");
  const before = readTarget(file)?.toString("utf8");
  const isClosed = hasMods === undefined ? before !== undefined && hasModsSwitch(before) : !hasMods;
  const known = originOf(file);
  const place = { root: below === "" ? "/" : below, file };
  const freed = entriesFor("freed");
  // Nobody knows which shell the machines have that get what is made below a folder; and what came in an image stays.
  const isKept = freed.length === 0 || below !== "" || before === textOf(freed, isClosed);
  const entries = isKept || !needsNoHelp() ? freed : entriesFor("alone");
  const changes = planOwnFile({
    ...place,
    text: entries.length === 0 ? null : textOf(entries, isClosed),
    isOurs: (text) => text.includes(JSON.stringify(layout.launcher(home)).slice(1, -1)),
    what: "entries in the settings that manage this machine",
    mode: 0o644,
    created: known?.folders,
  });
  const origin = known ?? { containers: {}, folders: missingFolders(place) };
  return { file, changes, origins: new Map([[file, origin]]) };
}

function textOf(entries: readonly HookEntry[], isClosed: boolean): string {
  const hooks: Record<string, unknown[]> = {};
  for (const { event, value } of entries) hooks[event] = [...(hooks[event] ?? []), value];
  const [plugins, plugin, options, name] = MODS_SWITCH;
  const mods = isClosed ? { [plugins]: { [plugin]: { [options]: { [name]: true } } } } : {};
  return formatJson({ hooks, ...mods });
}
