import fs from "node:fs";
import path from "node:path";
import { hasCode, listFolder } from "../../kernel/atomic.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { checkMinimal } from "./check.ts";
import { inspectClaudeSettings } from "./inspect.ts";
import { type ManagedPaths, REMOTE } from "./managed-paths.ts";

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
export function ownedFiles({ files, folders }: ManagedPaths): string[] {
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
export const MODS_SWITCH = [
  "pluginConfigs",
  "cc-plugin-sec-default@builtin",
  "options",
  "allowManagedModsOnly",
] as const;

export function hasModsSwitch(text: string): boolean {
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
