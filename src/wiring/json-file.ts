import { offsetOfPath, positionAt } from "../format/edit.ts";
import type { JsonPath } from "../format/json.ts";
import { blankExtras, type JsonExtras } from "../format/json-comments.ts";
import { findJsonFault } from "../format/json-fault.ts";
import { readBounded } from "../format/read.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type Change, readTarget } from "./changes.ts";
import { type FileLocation, isSamePath, requireInside } from "./file-location.ts";

const MAXIMUM_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = "\ufeff";

/** The root of a JSON file: most agents have an object, some a list. */
export type JsonRoot = "list" | "object";

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

export function isBlankText(text: string): boolean {
  return /^[ \t\r\n]*$/u.test(text);
}

/** The bytes of a settings file; null: there is none. Refuses a file that isn't regular or is too large. */
export function readSettings(path: string): Buffer | null {
  return readTarget(path) === null ? null : (readBounded(path, { maximumBytes: MAXIMUM_BYTES }) ?? null);
}

/** Refuses bytes that aren't UTF-8: drwn would write other bytes back. */
export function decodeText(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("DRWN_SETTINGS_INVALID", `${clean(file)}: expected UTF-8`, { cause });
  }
}
