import fs from "node:fs";
import path from "node:path";
import { hasCode, listFolder } from "../../kernel/atomic.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { inspectClaudeSettings } from "./inspect.ts";

/** What the owner of a machine sets and its users cannot: where it stands, and what stands where drwn cannot read it. */
export interface ManagedPlaces {
  /** Settings, as files of JSON. */
  files: readonly string[];
  /** Folders of further files of settings. */
  folders: readonly string[];
  /** Files in a format that drwn does not read: where one is there, nothing is known of what it says. */
  sealed: readonly string[];
}

const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

const REMOTE = "remote-settings.json";

/** By Claude Code's documentation: profiles of a device management arrive there. No Mac was at hand to try it. */
const PROFILE = "com.anthropic.claudecode.plist";
const PROFILES = "/Library/Managed Preferences";

interface Machine {
  platform: NodeJS.Platform;
  user: string | undefined;
  /** Where Claude Code keeps what is the user's. */
  configFolder: string;
}

export function managedPlaces({ platform, user, configFolder }: Machine): ManagedPlaces {
  // What a server sent for the user's organisation; Claude Code asks again when it starts.
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

/** The owner's decisions that keep Claude Code from running drwn's hook, and those that drwn cannot read. */
export function checkManagedSettings(places: ManagedPlaces, isOurs: (command: string) => boolean): Finding[] {
  const findings: Finding[] = [];
  const files = [...places.files, ...places.folders.flatMap((folder) => listJson(folder, findings))];
  const present = files.filter((file) => isThere(file, findings));
  // With drwn's entry among them, the machine's own hooks are enough.
  const isEntered = present.some((file) => inspectClaudeSettings({ file, isOurs }).ours.length > 0);
  return [
    ...findings,
    ...present.flatMap((file) => checkFile(file, isEntered)),
    ...places.sealed.filter(mayBeThere).map((file) => unknown(file, "drwn does not read profiles")),
  ];
}

/** Whether no mod is loaded but those of the machine's owner. */
export function allowsManagedModsOnly({ files, folders }: ManagedPlaces): boolean {
  const all = [...files, ...folders.flatMap((folder) => listJson(folder, []))].filter((file) => isThere(file, []));
  // A user can write the copy of what a server sent.
  const owned = all.filter((file) => path.basename(file) !== REMOTE);
  return owned.some((file) => {
    try {
      return valueAt(openJsonFile({ root: path.dirname(file), file }).text, MODS_SWITCH) === true;
    } catch (error) {
      if (!isProblem(error)) throw error;
      return false;
    }
  });
}

/** Measured with Claude Code 2.1.329. */
const MODS_SWITCH = ["pluginConfigs", "cc-plugin-sec-default@builtin", "options", "allowManagedModsOnly"];

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

/** A file that may not be looked at may be there. */
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

function checkFile(file: string, isEntered: boolean): Finding[] {
  try {
    const { text } = openJsonFile({ root: path.dirname(file), file });
    const said = [
      ...(valueAt(text, ["disableAllHooks"]) === true
        ? ["`disableAllHooks` keeps Claude Code from running any hook"]
        : []),
      ...(valueAt(text, ["allowManagedHooksOnly"]) === true && !isEntered
        ? ["`allowManagedHooksOnly` keeps Claude Code from running hooks of users and projects"]
        : []),
    ];
    const isComputed = valueAt(text, ["policyHelper"]) !== undefined || valueAt(text, ["policyHelpers"]) !== undefined;
    return [
      ...said.map((why) => ({
        code: "hooks-managed",
        severity: "error" as const,
        subject: file,
        message: `the settings that manage this machine: ${why}`,
        hint: HINT,
      })),
      ...(isComputed ? [unknown(file, "a program of the machine's owner decides more")] : []),
    ];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [unknown(file, error.message)];
  }
}

function unknown(subject: string, why: string): Finding {
  return {
    code: "settings-unreadable",
    severity: "warning",
    subject,
    message: `whether the settings that manage this machine let Claude Code run the hook is not known: ${clean(why, 500)}`,
    hint: "type /hooks in claude, and look whether drwn's entry is among them",
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
