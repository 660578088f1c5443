import { requireWritable } from "../kernel/files.ts";
import {
  appendChild,
  blankInside,
  offsetOfPath,
  positionAt,
  removeChild,
  setBlankInside,
} from "../kernel/format/edit-json.ts";
import { blankExtras, findJsonFault, type JsonExtras, type JsonPath } from "../kernel/format/json.ts";
import { readBounded } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type Change, readTarget } from "./changes.ts";
import {
  emptyAround,
  type FileLocation,
  foldersAround,
  isLink,
  isSamePath,
  missingFolders,
  requireInside,
} from "./file-location.ts";

const MAXIMUM_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = "\ufeff";

/** The root of a JSON file: most agents have an object, some a list. */
type JsonRoot = "list" | "object";

/** Somebody else's JSON file that drwn adds to: strict JSON with such a root, blank, or absent. */
export interface JsonFile extends FileLocation {
  rootShape: JsonRoot;
  /** Where the bytes go. It isn't `file` if that is a link. */
  path: string;
  before: Buffer | null;
  /** Without byte order mark; empty if the file is absent. */
  text: string;
  /** The text on disk, which differs if a change of the file is planned already; null: no file. */
  found: string | null;
  bom: string;
}

interface OpenRequest extends FileLocation {
  rootShape?: JsonRoot;
  /** What its program accepts beside strict JSON. */
  extras?: JsonExtras | undefined;
  /** Changes that come before the next one. If the file is among them, what opens is the file as it will be. */
  planned?: readonly Change[];
}

export function openJsonFile({ rootShape = "object", extras, planned = [], ...place }: OpenRequest): JsonFile {
  const inside = requireInside(place);
  const former = planned.findLast((change) => isSamePath(change.path, inside));
  const path = former?.path ?? inside;
  const onDisk = readSettings(path);
  const before = former === undefined ? onDisk : former.after;
  const { bom, text } = splitText(place.file, before);
  const found = onDisk === null ? null : splitText(place.file, onDisk).text;
  const file = { ...place, rootShape, path, before, bom, text, found };
  if (isBlankText(file.text)) return file;
  const fault = findJsonFault(extras === undefined ? file.text : blankExtras(file.text, extras));
  if (fault !== undefined) throw settingsProblem(file, fault);
  if (rootShape === "object") requireObject(file, []);
  else if (!Array.isArray(valueAt(file.text, [])))
    throw settingsProblem(file, { offset: 0, expected: "the file to be a list" });
  return file;
}

function splitText(file: string, bytes: Buffer | null): { bom: string; text: string } {
  const decoded = bytes === null ? "" : decodeText(file, bytes);
  const bom = decoded.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return { bom, text: decoded.slice(bom.length) };
}

/** What a file's root is, judging by its first character alone. */
export function findRootShape(place: FileLocation): JsonRoot {
  const bytes = readTarget(requireInside(place));
  return /^(?:\u00ef\u00bb\u00bf)?[ \t\r\n]*\[/u.test(bytes?.toString("latin1") ?? "") ? "list" : "object";
}

/** The value at `path`; undefined: there is none. */
export function valueAt(text: string, path: JsonPath): unknown {
  let value: unknown = isBlankText(text) ? undefined : parseLoosely(text);
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** Whoever opened the file has refused extras that its program doesn't accept. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(blankExtras(text, "comments and trailing commas"));
  }
}

/** The members of the object at `path`; none if it is absent. Refuses anything else there. */
export function requireObject(file: JsonFile, path: JsonPath): Record<string, unknown> {
  const value = valueAt(file.text, path);
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw settingsProblem(file, { offset: offsetOfPath(file.text, path), expected: `${namePath(path)} to be an object` });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function namePath(path: JsonPath): string {
  return path.length === 0 ? "the file" : `\`${clean(path.join("."), 120)}\``;
}

export function settingsProblem(file: JsonFile, fault: { offset: number; expected: string }): Problem {
  const { line, column } = positionAt(file.text, fault.offset);
  const message = `${clean(file.file)}, line ${line}, column ${column}: expected ${fault.expected}`;
  return new Problem("DRWN_SETTINGS_INVALID", message, { hint: `correct ${clean(file.file)}; nothing was changed` });
}

function isBlankText(text: string): boolean {
  return /^[ \t\r\n]*$/u.test(text);
}

/** The bytes of a settings file; null: there is none. Refuses a file that isn't regular or is too large. */
export function readSettings(path: string): Buffer | null {
  return readTarget(path, (file) => readBounded(file, { maximumBytes: MAXIMUM_BYTES }));
}

/** Refuses bytes that aren't UTF-8: drwn would write other bytes back. */
export function decodeText(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("DRWN_SETTINGS_INVALID", `${clean(file)}: expected UTF-8`, { cause });
  }
}

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

interface ContainersRequest {
  file: JsonFile;
  /** The outermost first; the root is implied. */
  containers: readonly Container[];
  /** Whether something of drwn's is inside already: then what was remembered of the container stays valid. */
  holdsOurs: (path: JsonPath) => boolean;
}

/** Creates the containers that are absent, and remembers what each was before drwn put something into it. */
export function openContainers(draft: JsonDraft, { file, containers, holdsOurs }: ContainersRequest): JsonDraft {
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
