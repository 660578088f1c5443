import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { hasCode, listFolder } from "../../kernel/files.ts";
import { formatJson } from "../../kernel/format/json.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { readTarget } from "../../wiring/changes.ts";
import { planDrwnFile } from "../../wiring/drwn-file.ts";
import { findHeld } from "../../wiring/entries/other-hooks.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { missingFolders } from "../../wiring/file-location.ts";
import { openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { type HookCommand, hookCommand } from "../../wiring/launcher.ts";
import type { ManagedHooksRequest, PlannedHooks } from "../../wiring/target.ts";
import { checkMinimal } from "./check.ts";
import { CLAUDE_FORMAT, inspectClaudeSettings } from "./read-settings.ts";

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

/**
 * The file that holds the first of these entries, if the machine's owner has put all of them in place; otherwise null.
 * Measured with Claude Code 2.1.329: it combines the groups of all files, and a fault in one file affects only that
 * file.
 */
export function findManagedEntry(places: ManagedPaths, entries: readonly HookEntry[]): string | null {
  return findHeld(ownedFiles(places), entries, CLAUDE_FORMAT);
}

/** Where the machine's owner keeps settings that users cannot change, including places that drwn cannot read. */
export interface ManagedPaths {
  /** JSON settings files. */
  files: readonly string[];
  /** Folders with more settings files. */
  folders: readonly string[];
  /** Files in a format that drwn doesn't read. If one exists, nobody knows what it says. */
  sealed: readonly string[];
}

const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

function managedFolder(platform: NodeJS.Platform): string | undefined {
  return FOLDERS[platform];
}

const REMOTE = "remote-settings.json";

/** Claude Code's documentation says that device management puts profiles there. Not tried, for lack of a Mac. */
const PROFILE = "com.anthropic.claudecode.plist";
const PROFILES = "/Library/Managed Preferences";

interface Machine {
  platform: NodeJS.Platform;
  user: string | undefined;
  /** Where Claude Code keeps the user's files. */
  configFolder: string;
}

export function managedPaths({ platform, user, configFolder }: Machine): ManagedPaths {
  // What a server sent for the user's organisation. Claude Code asks again when it starts.
  const remote = path.join(configFolder, REMOTE);
  const folder = FOLDERS[platform];
  const own = folder === undefined ? [] : [path.join(folder, "managed-settings.json")];
  const profiles = [PROFILES, ...(user === undefined ? [] : [path.join(PROFILES, user)])];
  return {
    files: [...own, remote],
    folders: folder === undefined ? [] : [path.join(folder, "managed-settings.d")],
    sealed: platform === "darwin" ? profiles.map((place) => path.join(place, PROFILE)) : [],
  };
}

/**
 * The owner's decisions that keep Claude Code from running drwn's hook, and those that drwn cannot read. `isEntered`:
 * the owner has put drwn's entry into the managed settings, where most of these decisions don't affect it.
 */
export function checkManagedSettings(places: ManagedPaths, isEntered: boolean): Finding[] {
  const findings: Finding[] = [];
  const files = [...places.files, ...places.folders.flatMap((folder) => listJson(folder, findings))];
  const present = files.filter((file) => isThere(file, findings));
  return [
    ...findings,
    ...present.flatMap((file) => checkFile(file, isEntered)),
    ...places.sealed.filter(mayBeThere).map((file) => unknown(file, "drwn does not read profiles")),
  ];
}

/** The settings files that only the machine's owner can change. */
function ownedFiles({ files, folders }: ManagedPaths): string[] {
  const all = [...files, ...folders.flatMap((folder) => listJson(folder, []))].filter((file) => isThere(file, []));
  // A user can edit the local copy of what a server sent.
  return all.filter((file) => path.basename(file) !== REMOTE);
}

/** Whether only the machine owner's hooks run. */
export function allowsManagedHooksOnly(places: ManagedPaths): boolean {
  return isSetByOwner(places, ["allowManagedHooksOnly"]);
}

function isSetByOwner(places: ManagedPaths, at: readonly string[]): boolean {
  return ownedFiles(places).some((file) => {
    try {
      return valueAt(openJsonFile({ root: path.dirname(file), file }).text, [...at]) === true;
    } catch (error) {
      if (!isProblem(error)) throw error;
      return false;
    }
  });
}

/** Measured with Claude Code 2.1.329. */
const MODS_SWITCH = ["pluginConfigs", "cc-plugin-sec-default@builtin", "options", "allowManagedModsOnly"] as const;

function hasModsSwitch(text: string): boolean {
  return valueAt(text, [...MODS_SWITCH]) === true;
}

function listJson(folder: string, findings: Finding[]): string[] {
  try {
    return listFolder(folder)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .map((name) => path.join(folder, name));
  } catch (error) {
    findings.push(unknown(folder, messageOf(error)));
    return [];
  }
}

/** Whether the file can be read. One that cannot be looked at may exist, which becomes a finding. */
function isThere(file: string, findings: Finding[]): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return true;
  } catch (error) {
    if (!hasCode(error, "ENOENT") && !hasCode(error, "ENOTDIR")) findings.push(unknown(file, messageOf(error)));
    return false;
  }
}

function mayBeThere(file: string): boolean {
  const unread: Finding[] = [];
  return isThere(file, unread) || unread.length > 0;
}

const HINT = "ask whoever manages this machine to allow it, or to put drwn's entry there";

const LOCK = "strictPluginOnlyCustomization";

function checkFile(file: string, isEntered: boolean): Finding[] {
  try {
    const { text } = openJsonFile({ root: path.dirname(file), file });
    const locked = valueAt(text, [LOCK]);
    const isLocked = locked === true || (Array.isArray(locked) && locked.includes("hooks"));
    const switches = [
      ["disableAllHooks", "any hook", valueAt(text, ["disableAllHooks"]) === true],
      ["allowManagedHooksOnly", OTHERS, valueAt(text, ["allowManagedHooksOnly"]) === true && !isEntered],
      [LOCK, OTHERS, isLocked && !isEntered],
    ] as const;
    const said = switches.flatMap(([name, what, isOn]): Finding[] => {
      const message = `the settings that manage this machine: \`${name}\` keeps Claude Code from running ${what}`;
      return isOn ? [{ code: "hooks-managed", severity: "error", subject: file, message, hint: HINT }] : [];
    });
    const settings = inspectClaudeSettings({ file, isOurs: () => false });
    const isComputed = valueAt(text, ["policyHelper"]) !== undefined || valueAt(text, ["policyHelpers"]) !== undefined;
    return [
      ...said,
      ...(isEntered ? [] : checkMinimal(file, settings.minimalBy)),
      ...(isComputed ? [unknown(file, "a program of the machine's owner decides the rest")] : []),
    ];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [unknown(file, error.message)];
  }
}

const OTHERS = "hooks of users and projects";

function unknown(subject: string, why: string): Finding {
  return {
    code: "settings-unreadable",
    severity: "warning",
    subject,
    message: `it is not known whether the settings that manage this machine let Claude Code run the hook: ${clean(why, 500)}`,
    hint: "type /hooks in claude, and check that drwn's entry is among them",
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
