import path from "node:path";
import type { Change } from "../changes.ts";
import { isHookCommand } from "../launcher.ts";
import type { HooksRequest, PlannedHooks } from "../target.ts";
import type { HookFormat } from "./groups.ts";
import { planEntries } from "./plan-entries.ts";
import { type EntryForm, wantedEntries } from "./wanted-entries.ts";

interface UserFile {
  format: HookFormat;
  settingsFile: string;
  form: EntryForm;
}

/**
 * Puts the hook into the user's own settings, for agents without personal settings for a project: what a project
 * commits must not hold a command with a path of this machine.
 */
export function planUserFile(request: HooksRequest, { format, settingsFile, form }: UserFile): PlannedHooks {
  const { host, originalOf } = request;
  const { change, record } = planEntries({
    format,
    settingsFile,
    entries: wantedEntries(request, form),
    root: rootAround(settingsFile, host.home),
    isOurs: (command) => isHookCommand(command, host.drwnHome),
    record: originalOf(settingsFile),
  });
  const changes: Change[] = change === undefined ? [] : [change];
  const isNoted = change !== undefined && record !== undefined;
  return { file: settingsFile, changes, originals: new Map(isNoted ? [[settingsFile, record]] : []) };
}

/**
 * The folder out of which the user's own settings must not lead: the home, so that they may link to a dotfiles folder
 * in it, or the folder of the settings if that is elsewhere.
 */
function rootAround(file: string, home: string): string {
  const folder = path.dirname(file);
  const relative = path.relative(home, folder);
  const isBelowHome = relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return isBelowHome ? home : folder;
}
