import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { formatJson } from "../../format/write.ts";
import { readTarget } from "../../wiring/changes.ts";
import { planDrwnFile } from "../../wiring/drwn-file.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { missingFolders } from "../../wiring/file-location.ts";
import { type HookCommand, hookCommand } from "../../wiring/launcher.ts";
import type { ManagedHooksRequest, PlannedHooks } from "../../wiring/target.ts";
import { hasModsSwitch, MODS_SWITCH } from "./check-managed.ts";
import { managedFolder } from "./managed-paths.ts";

/**
 * Puts a file of drwn's own beside the owner's settings. Measured with Claude Code 2.1.329: it combines the groups of
 * all files, users cannot switch them off, and mods neither answer in their place nor overrule them.
 */
export function planClaudeManaged(
  { home, originalOf, hasMods }: ManagedHooksRequest,
  entries: readonly HookEntry[],
): PlannedHooks {
  const folder = path.join(managedFolder(process.platform) ?? "", "managed-settings.d");
  const file = path.join(folder, "50-drwn.json");
  const before = readTarget(file)?.toString("utf8");
  const isClosed = hasMods === undefined ? before !== undefined && hasModsSwitch(before) : !hasMods;
  const known = originalOf(file);
  const place = { root: "/", file };
  const changes = planDrwnFile({
    ...place,
    text: entries.length === 0 ? null : textOf(entries, isClosed),
    isOurs: (text) => text.includes(JSON.stringify(layout.launcher(home)).slice(1, -1)),
    what: "entries in the settings that manage this machine",
    mode: 0o644,
    created: known?.folders,
  });
  const origin = known ?? { containers: {}, folders: missingFolders(place) };
  return { file, changes, originals: new Map([[file, origin]]) };
}

/** Variables that shells obey before their first word. If one of the others isn't a number, mksh ends there. */
const HEEDED = [
  ...["SHELLOPTS", "BASHOPTS", "BASH_ENV", "ENV"],
  ...["COLUMNS", "HISTSIZE", "LINENO", "LINES", "OPTIND", "SECONDS", "TMOUT"],
];

/**
 * How Claude Code starts root's hook: with the line of other agents, since that also holds if the launcher is emptied, in the
 * system's shell, and without the variables of its user that could make a shell end before its first word.
 */
export function managedHookStart(request: HookCommand): { command: string; args: string[] } {
  const unset = HEEDED.flatMap((name) => ["-u", name]);
  return { command: "/usr/bin/env", args: [...unset, "/bin/sh", "-c", hookCommand(request)] };
}

function textOf(entries: readonly HookEntry[], isClosed: boolean): string {
  const hooks: Record<string, unknown[]> = {};
  for (const { event, value } of entries) hooks[event] = [...(hooks[event] ?? []), value];
  const [plugins, plugin, options, name] = MODS_SWITCH;
  const mods = isClosed ? { [plugins]: { [plugin]: { [options]: { [name]: true } } } } : {};
  return formatJson({ hooks, ...mods });
}
