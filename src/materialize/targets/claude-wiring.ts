import { isDeepStrictEqual } from "node:util";
import { appendChild, removeChild, replaceValue } from "../../format/edit.ts";
import type { JsonPath } from "../../format/json.ts";
import type { z } from "../../format/schema.ts";
import type { Change } from "../changes.ts";
import { editDraft, finishDraft, jsonOrigin, openContainers, settleContainers, startDraft } from "../json-edit.ts";
import { type HookGroup, readHookGroups, requireHookShape } from "./claude-groups.ts";
import { openJsonFile } from "./json-file.ts";

/** One hook entry of drwn in a settings file of Claude Code. */
export interface WiringEntry {
  event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure";
  /** null: every tool. */
  matcher: string | null;
  command: string;
  /** Seconds. */
  timeout: number;
  onFailure?: "block";
}

export const wiringRecord = jsonOrigin;

/** What has to be remembered to give a settings file back byte for byte. */
export type WiringRecord = z.infer<typeof wiringRecord>;

export interface WiringRequest {
  settingsFile: string;
  /** The folder that the settings file must not lead out of. */
  root: string;
  /** All that is wanted; none takes everything of drwn out. */
  entries: readonly WiringEntry[];
  /** Recognises a command of drwn, of this version or an older one. */
  isOurs: (command: string) => boolean;
  record: WiringRecord | undefined;
}

export interface PlannedWiring {
  change: Change | undefined;
  /** undefined: nothing of drwn is left in the file. */
  record: WiringRecord | undefined;
}

/**
 * What has to change for the settings file to hold exactly these entries of drwn, each once, behind those of others. Every
 * other byte stays, and taking the last entry out gives the file back as it was. The record of a change that adds must be
 * kept before the change is made, and that of a change that takes everything out must be dropped after it.
 */
export function planWiring(request: WiringRequest): PlannedWiring {
  const { settingsFile, root, entries, isOurs, record } = request;
  const file = openJsonFile({ root, file: settingsFile });
  requireHookShape(file);
  const ours = readHookGroups(file, isOurs).filter((group) => group.ours.length > 0);
  if (entries.length === 0 && ours.length === 0) return { change: undefined, record: undefined };

  const edits = sortOut(ours, entries);
  let draft = startDraft(file, record);
  for (const { path, entry } of edits.replace)
    draft = editDraft(draft, (text) => replaceValue(text, path, groupOf(entry)));
  const held: JsonPath[] = ours.map((group) => group.path);
  const holdsOurs = (around: JsonPath) => held.some((path) => around.every((part, at) => path[at] === part));
  for (const entry of edits.append) {
    const path: JsonPath = ["hooks", entry.event];
    const containers = [
      { path: ["hooks"], empty: {} },
      { path, empty: [] },
    ];
    draft = openContainers(draft, { file, containers, holdsOurs });
    draft = editDraft(draft, (text) => appendChild(text, path, { value: groupOf(entry) }));
    held.push(path);
  }
  for (const path of edits.remove) draft = editDraft(draft, (text) => removeChild(text, path));
  const isRemembered = record !== undefined;
  for (const event of new Set(edits.remove.map((path) => String(path[1])))) {
    draft = settleContainers(draft, { path: ["hooks", event], isRemembered });
  }
  const change = finishDraft(file, { draft, what: describe(edits), mode: 0o600 });
  return { change, record: entries.length === 0 ? undefined : draft.origin };
}

interface Edits {
  replace: { path: JsonPath; entry: WiringEntry }[];
  append: WiringEntry[];
  /** From the back, so that no removal moves another's place. */
  remove: JsonPath[];
}

function sortOut(ours: readonly HookGroup[], entries: readonly WiringEntry[]): Edits {
  const edits: Edits = { replace: [], append: [], remove: [] };
  for (const event of new Set([...ours, ...entries].map((item) => item.event))) {
    const groups = ours.filter((group) => group.event === event);
    const wanted = entries.filter((entry) => entry.event === event);
    const own = groups.filter((group) => group.ours.length === group.handlers.length);
    const missing: WiringEntry[] = [];
    for (const entry of wanted) {
      const same = own.findIndex(({ value }) => isDeepStrictEqual(value, groupOf(entry)));
      if (same < 0) missing.push(entry);
      else own.splice(same, 1);
    }
    for (const entry of missing) {
      const outdated = own.shift();
      if (outdated === undefined) edits.append.push(entry);
      else edits.replace.push({ path: outdated.path, entry });
    }
    edits.remove.push(...groups.flatMap((group) => pathsToRemove(group, own)).reverse());
  }
  return edits;
}

/** A superfluous group of drwn goes whole; from a group that others have handlers in, only drwn's go. */
function pathsToRemove(group: HookGroup, superfluous: readonly HookGroup[]): JsonPath[] {
  if (superfluous.includes(group)) return [group.path];
  if (group.ours.length === group.handlers.length) return [];
  return group.ours.map((at) => [...group.path, "hooks", at]);
}

function groupOf({ matcher, command, timeout, onFailure }: WiringEntry): Record<string, unknown> {
  const handler = { type: "command", command, timeout, ...(onFailure === undefined ? {} : { onFailure }) };
  return { ...(matcher === null ? {} : { matcher }), hooks: [handler] };
}

function describe({ replace, append, remove }: Edits): string {
  const touched = [...replace.map(({ entry }) => entry.event), ...append.map(({ event }) => event)];
  const events = [...new Set([...touched, ...remove.map((path) => String(path[1]))])];
  return events.length === 1 ? `${events[0]} hook entry` : `hook entries for ${events.join(", ")}`;
}
