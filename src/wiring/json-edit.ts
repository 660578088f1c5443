import { appendChild, blankInside, removeChild, setBlankInside } from "../format/edit.ts";
import type { JsonPath } from "../format/json.ts";
import * as z from "../format/zod.ts";
import { type Change, requireWritable } from "./changes.ts";
import { emptyAround, foldersAround, isLink, missingFolders } from "./file-location.ts";
import { isBlankText, type JsonFile, valueAt } from "./json-file.ts";

/**
 * What a JSON file was before drwn put something into it: for each container on the way, null if it was absent, or the
 * white space in it if it was empty. A container that isn't listed had members. `folders` were absent, too.
 */
export const jsonOriginal = z.strictObject({
  /** Keys are `file` and JSON pointers; the root's is empty. */
  containers: z.record(z.string(), z.string().nullable()),
  folders: z.array(z.string()),
});

export type JsonOriginal = z.infer<typeof jsonOriginal>;

/** A JSON file while it is being edited; null: remove it. */
export interface JsonDraft {
  text: string | null;
  origin: JsonOriginal;
}

export function startDraft(file: JsonFile, origin: JsonOriginal | undefined): JsonDraft {
  return { text: file.text, origin: origin ?? { containers: {}, folders: [] } };
}

export function editDraft(draft: JsonDraft, edit: (text: string) => string): JsonDraft {
  return draft.text === null ? draft : { ...draft, text: edit(draft.text) };
}

interface Container {
  path: JsonPath;
  /** What to create if it is absent. */
  empty: Record<string, never> | never[];
}

interface OpenRequest {
  file: JsonFile;
  /** The outermost first; the root is implied. */
  containers: readonly Container[];
  /** Whether something of drwn's is inside already: then what was remembered of the container stays valid. */
  holdsOurs: (path: JsonPath) => boolean;
}

/** Creates the containers that are absent, and remembers what each was before drwn put something into it. */
export function openContainers(draft: JsonDraft, { file, containers, holdsOurs }: OpenRequest): JsonDraft {
  const before = draft.text ?? "";
  let text = isBlankText(before) ? `${emptyRoot(file)}${/\r?\n/u.exec(before)?.[0] ?? "\n"}` : before;
  const known = { ...draft.origin.containers };
  const remember = (key: string, was: string | null | undefined) => {
    if (was === undefined) delete known[key];
    else known[key] = was;
  };
  const isFresh = !holdsOurs([]);
  if (isFresh) {
    const found = file.found ?? "";
    remember(FILE, file.found === null ? null : isBlankText(found) ? found : undefined);
    remember(pointer([]), isBlankText(found) ? null : blankInside(found, []));
  }
  for (const { path, empty } of containers) {
    const isAbsent = valueAt(text, path) === undefined;
    if (!holdsOurs(path)) remember(pointer(path), isAbsent ? null : blankInside(text, path));
    if (isAbsent) text = appendChild(text, path.slice(0, -1), { key: String(path.at(-1)), value: empty });
  }
  const folders = file.found === null ? missingFolders(file) : draft.origin.folders;
  return { text, origin: { containers: known, folders } };
}

interface SettleRequest {
  /** The container from which something was taken. */
  path: JsonPath;
  /** False: nobody remembers what was there before. Then empty containers go, and the file stays. */
  isRemembered: boolean;
}

/** Restores the container, and those around it, as far as they are empty. */
export function settleContainers(draft: JsonDraft, { path, isRemembered }: SettleRequest): JsonDraft {
  const { origin } = draft;
  if (draft.text === null) return draft;
  const blank = valueAt(draft.text, path) === undefined ? undefined : blankInside(draft.text, path);
  if (blank === undefined) return draft;
  const was = origin.containers[pointer(path)];
  if (typeof was === "string") return { text: setBlankInside(draft.text, path, was), origin };
  if (path.length === 0) {
    const text = origin.containers[FILE];
    return was === null && text !== undefined ? { text, origin } : draft;
  }
  if (was === undefined && isRemembered) return draft;
  return settleContainers({ text: removeChild(draft.text, path), origin }, { path: path.slice(0, -1), isRemembered });
}

interface FinishRequest {
  draft: JsonDraft;
  what: string;
  /** The mode of a new file. */
  mode: number;
}

/** The change that writes the draft to disk; undefined: nothing differs. */
export function finishDraft(file: JsonFile, { draft, what, mode }: FinishRequest): Change | undefined {
  const { path, before, bom } = file;
  // The next write would refuse a link without its target.
  const text = draft.text === null && isLink(file.file) ? `${emptyRoot(file)}\n` : draft.text;
  if (text === null) {
    const around = before === null ? emptyAround : foldersAround;
    const folders = around(file, draft.origin.folders);
    if (before === null && folders.length === 0) return undefined;
    if (before !== null) requireWritable(path);
    return { action: "remove", path, what, before, after: null, folders };
  }
  const after = Buffer.from(bom + text);
  if (before === null) return isBlankText(text) ? undefined : { action: "create", path, what, before, after, mode };
  if (before.equals(after)) return undefined;
  requireWritable(path);
  return { action: "update", path, what, before, after };
}

function emptyRoot({ rootShape }: JsonFile): string {
  return rootShape === "object" ? "{}" : "[]";
}

const FILE = "file";

/** RFC 6901. */
export function pointer(path: JsonPath): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
