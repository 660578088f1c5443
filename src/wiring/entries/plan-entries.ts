import { isDeepStrictEqual } from "node:util";
import { appendChild, removeChild, replaceValue } from "../../format/edit.ts";
import type { JsonPath } from "../../format/json.ts";
import type { Change } from "../changes.ts";
import {
  editDraft,
  finishDraft,
  type JsonDraft,
  type JsonOriginal,
  openContainers,
  pointer,
  settleContainers,
  startDraft,
} from "../json-edit.ts";
import { type JsonFile, openJsonFile, valueAt } from "../json-file.ts";
import { entryListOf, type HookFormat, type HookGroup, readHookGroups, requireHookShape } from "./groups.ts";

/** One of drwn's entries in an event's list, as it should be. */
export interface HookEntry {
  event: string;
  value: Readonly<Record<string, unknown>>;
}

export interface EntriesRequest {
  format: HookFormat;
  settingsFile: string;
  /** The folder out of which the settings file must not lead. */
  root: string;
  /** All wanted entries; an empty list takes everything of drwn's out. */
  entries: readonly HookEntry[];
  /** Recognises drwn's commands, of this version or an older one. */
  isOurs: (command: string) => boolean;
  record: JsonOriginal | undefined;
  /** The mode of a new file. Absent: only its owner may read and write it. */
  mode?: number;
}

export interface PlannedEntries {
  change: Change | undefined;
  /** What must be remembered to restore the file byte for byte; undefined: nothing of drwn's is left in it. */
  record: JsonOriginal | undefined;
}

/**
 * What has to change for the settings file to hold exactly these entries of drwn's, each once, after those of others.
 * Every other byte stays, and taking the last entry out restores the file. The record of a change that adds must be
 * saved before the change is made; the record of a change that takes everything out must be dropped after it.
 */
export function planEntries(request: EntriesRequest): PlannedEntries {
  const { format, settingsFile, root, entries, isOurs, record, mode = 0o600 } = request;
  const rootShape = format.items === "entries" ? "list" : "object";
  const file = openJsonFile({ root, file: settingsFile, rootShape, extras: format.extras });
  requireHookShape(file, format);
  const ours = readHookGroups(file, format, isOurs).filter((group) => group.ours.length > 0);
  if (entries.length === 0 && ours.length === 0) return { change: planFolders(file, record), record: undefined };

  const edits = sortOut(ours, entries);
  let draft = startDraft(file, record);
  for (const { path, entry } of edits.replace)
    draft = editDraft(draft, (text) => replaceValue(text, path, entry.value));
  const held: JsonPath[] = ours.map((group) => group.path);
  const holdsOurs = (around: JsonPath) => held.some((path) => around.every((part, at) => path[at] === part));
  for (const entry of edits.append) {
    const path = entryListOf(format, entry.event);
    const containers =
      path.length === 0
        ? []
        : [
            { path: ["hooks"], empty: {} },
            { path, empty: [] },
          ];
    draft = openContainers(draft, { file, containers, holdsOurs });
    draft = editDraft(draft, (text) => appendChild(text, path, { value: entry.value }));
    held.push(path);
  }
  const { requiredFields } = format;
  if (entries.length > 0 && requiredFields !== undefined)
    draft = addRequiredFields(draft, { file, ...requiredFields, isFresh: ours.length === 0 });
  for (const { path } of edits.remove) draft = editDraft(draft, (text) => removeChild(text, path));
  if (entries.length === 0 && requiredFields !== undefined) draft = removeRequiredFields(draft, requiredFields);
  const isRemembered = record !== undefined;
  for (const event of new Set(edits.remove.map((one) => one.event))) {
    draft = settleContainers(draft, { path: entryListOf(format, event), isRemembered });
  }
  const change = finishDraft(file, { draft, what: describe(edits), mode });
  return { change, record: entries.length === 0 ? undefined : draft.origin };
}

/** Cleans up after a process that was killed after it removed the file and before the folders around it. */
function planFolders(file: JsonFile, record: JsonOriginal | undefined): Change | undefined {
  if (file.before !== null || record === undefined) return undefined;
  return finishDraft(file, { draft: { text: null, origin: record }, what: "empty folders around it", mode: 0o600 });
}

interface RequiredFieldsRequest extends NonNullable<HookFormat["requiredFields"]> {
  file: JsonFile;
  /** Nothing of drwn's was in the file before. */
  isFresh: boolean;
}

/** Adds the field, and remembers it like a container that was absent. */
function addRequiredFields(draft: JsonDraft, { file, path, value, isFresh }: RequiredFieldsRequest): JsonDraft {
  const { text, origin } = draft;
  if (text === null) return draft;
  const { [pointer(path)]: was, ...containers } = origin.containers;
  if (valueAt(text, path) !== undefined) {
    return isFresh || was === undefined ? { text, origin: { ...origin, containers } } : draft;
  }
  const around = path.slice(0, -1);
  const holdsOurs = (at: JsonPath) => at.length === 0 || was === null;
  const open =
    around.length === 0 ? draft : openContainers(draft, { file, containers: [{ path: around, empty: {} }], holdsOurs });
  return {
    text: appendChild(open.text ?? text, around, { key: String(path.at(-1)), value }),
    origin: { ...open.origin, containers: { ...open.origin.containers, [pointer(path)]: null } },
  };
}

function removeRequiredFields(draft: JsonDraft, { path, value }: NonNullable<HookFormat["requiredFields"]>): JsonDraft {
  const { containers } = draft.origin;
  if (draft.text === null || containers[pointer(path)] !== null || valueAt(draft.text, path) !== value) return draft;
  const left = editDraft(draft, (text) => removeChild(text, path));
  return path.length === 1 ? left : settleContainers(left, { path: path.slice(0, -1), isRemembered: true });
}

interface Edits {
  replace: { path: JsonPath; entry: HookEntry }[];
  append: HookEntry[];
  /** From the back, so that no removal moves the place of another. */
  remove: { path: JsonPath; event: string }[];
}

function sortOut(ours: readonly HookGroup[], entries: readonly HookEntry[]): Edits {
  const edits: Edits = { replace: [], append: [], remove: [] };
  for (const event of new Set([...ours, ...entries].map((item) => item.event))) {
    const groups = ours.filter((group) => group.event === event);
    const wanted = entries.filter((entry) => entry.event === event);
    const own = groups.filter((group) => group.ours.length === group.handlers.length);
    const missing: HookEntry[] = [];
    for (const entry of wanted) {
      const same = own.findIndex(({ value }) => isDeepStrictEqual(value, entry.value));
      if (same < 0) missing.push(entry);
      else own.splice(same, 1);
    }
    for (const entry of missing) {
      const outdated = own.shift();
      if (outdated === undefined) edits.append.push(entry);
      else edits.replace.push({ path: outdated.path, entry });
    }
    const paths = groups.flatMap((group) => pathsToRemove(group, own)).reverse();
    edits.remove.push(...paths.map((path) => ({ path, event })));
  }
  // In a single list for all events, the place is a number.
  edits.remove.sort(({ path: [one] }, { path: [other] }) => (typeof one === "number" ? Number(other) - one : 0));
  return edits;
}

/** A superfluous group of drwn's goes as a whole; in a group with handlers of others, only drwn's go. */
function pathsToRemove(group: HookGroup, superfluous: readonly HookGroup[]): JsonPath[] {
  if (superfluous.includes(group)) return [group.path];
  if (group.ours.length === group.handlers.length) return [];
  return group.ours.map((at) => [...group.path, "hooks", at]);
}

function describe({ replace, append, remove }: Edits): string {
  const touched = [...replace.map(({ entry }) => entry.event), ...[...append, ...remove].map(({ event }) => event)];
  const events = [...new Set(touched)];
  return events.length === 1 ? `${events[0]} hook entry` : `hook entries for ${events.join(", ")}`;
}
