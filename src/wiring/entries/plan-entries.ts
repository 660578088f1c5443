import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { LifecycleAdapter } from "../../hook-base/adapter/adapter.ts";
import { appendChild, removeChild, replaceValue } from "../../kernel/format/edit-json.ts";
import type { JsonPath } from "../../kernel/format/json.ts";
import type { Host } from "../../kernel/host.ts";
import type { AgentId } from "../../policy/event.ts";
import type { Change } from "../changes.ts";
import {
  editDraft,
  findRootShape,
  finishDraft,
  type JsonDraft,
  type JsonFile,
  type JsonOriginal,
  openContainers,
  openJsonFile,
  pointer,
  settleContainers,
  startDraft,
  valueAt,
} from "../json-file.ts";
import { type HookPhase, hookCommand, isCommittedCommand, isHookCommand } from "../launcher.ts";
import { type HooksRequest, type PlannedHooks, wantedLifecycleEvents } from "../target.ts";
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

/** Every way in which an agent writes hooks into a JSON file, as far as needed to find drwn's entries. */
const FORMATS: readonly HookFormat[] = (["groups", "handlers", "entries"] as const).map((items) => ({
  events: new Set(),
  items,
  commands: ["command", "bash"],
  // Goes if drwn's record says that drwn put it in.
  requiredFields: { path: ["version"], value: 1 },
}));

interface TakeOutRequest {
  settingsFile: string;
  /** The folder out of which the settings file must not lead. */
  root: string;
  isOurs: (command: string) => boolean;
  record: JsonOriginal | undefined;
}

/** What has to change for any agent's settings file to hold no entry of drwn's. */
export function planTakeOut(request: TakeOutRequest): PlannedEntries {
  const isList = findRootShape({ file: request.settingsFile, root: request.root }) === "list";
  const formats = FORMATS.filter(({ items }) => (items === "entries") === isList);
  const planned = formats.map((format) => planEntries({ ...request, format, entries: [] }));
  return planned.find(({ change }) => change !== undefined) ?? { change: undefined, record: undefined };
}

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
  const file = {
    format,
    settingsFile,
    entries: wantedEntries(request, form),
    root: rootAround(settingsFile, host.home),
    isOurs: (command: string) => isHookCommand(command, host.drwnHome),
    record: originalOf(settingsFile),
  };
  return planFiles(settingsFile, [file]);
}

/** The same for several settings files, of which `file` is the one that holds the hook. */
export function planFiles(file: string, requests: readonly EntriesRequest[]): PlannedHooks {
  const changes: Change[] = [];
  const originals = new Map<string, JsonOriginal>();
  for (const request of requests) {
    const { change, record } = planEntries(request);
    if (change === undefined) continue;
    changes.push(change);
    if (record !== undefined) originals.set(request.settingsFile, record);
  }
  return { file, changes, originals };
}

interface SharedEntry extends Pick<EntriesRequest, "format" | "settingsFile"> {
  entry: HookEntry;
  /** The file has it already. */
  isThere: boolean;
}

/** The entry that everybody shares, in a file that the project commits; none if nothing is to become of it. */
export function sharedEntries(
  { root, shared, originalOf }: HooksRequest,
  { entry, isThere, ...file }: SharedEntry,
): EntriesRequest[] {
  if (shared !== "put" && !isThere) return [];
  const entries = shared === "take-out" ? [] : [entry];
  return [{ ...file, root, entries, isOurs: isCommittedCommand, record: originalOf(file.settingsFile) }];
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

/** How an agent's settings say what to ask the hook about, with one entry for each event. */
export interface EntryForm {
  runtime: AgentId;
  /** The agent's names for the events around a tool call. */
  toolEvents: Readonly<Record<"pre" | "post", readonly string[]>>;
  /** Absent: it reports no lifecycle events. */
  lifecycleAdapter?: LifecycleAdapter;
  fallbackAnswerAt?(phase: HookPhase): string | undefined;
  toValue(entry: WantedEntry): Readonly<Record<string, unknown>>;
}

interface WantedEntry {
  phase: HookPhase;
  event: string;
  command: string;
}

type WhoWants = Pick<HooksRequest, "others" | "own"> & { host: Pick<Host, "drwnHome"> };

/** An entry for each event that some policy wants. It is about every tool: the hook decides which policies see a call. */
export function wantedEntries({ host, own, others }: WhoWants, form: EntryForm): HookEntry[] {
  const { runtime, toolEvents, lifecycleAdapter, fallbackAnswerAt, toValue } = form;
  const policies = [...own, ...others];
  const tools = (["pre", "post"] as const).flatMap((phase) => {
    const isWanted = policies.some(({ phases }) => phases.includes(`${phase}-tool`));
    return isWanted ? toolEvents[phase].map((event) => ({ phase, event })) : [];
  });
  const lifecycleEvents = lifecycleAdapter === undefined ? [] : wantedLifecycleEvents(lifecycleAdapter, policies);
  return [...tools, ...lifecycleEvents.map(([phase, event]) => ({ phase, event }))].map((wanted) => {
    const { phase, event } = wanted;
    const command = hookCommand({ home: host.drwnHome, runtime, phase, fallbackAnswer: fallbackAnswerAt?.(phase) });
    return { event, value: toValue({ ...wanted, command }) };
  });
}
