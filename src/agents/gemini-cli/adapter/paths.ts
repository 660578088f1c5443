import type { EventView } from "../../../hot/adapter/adapter.ts";
import { takeObject } from "../../../hot/adapter/tool-call.ts";
import { toJsonText } from "../../../hot/json-text.ts";
import { getField, isOwnEnumerable, matchFrom, parseJson } from "../../../hot/primordials.ts";

/** The only path that Gemini CLI changes; it takes `dir_path` as it is. */
const FIELD = "file_path";
const ODD = /[%\0]|^@/gu;
const NUL_OR_AT = /\0|^@/gu;
const decode = decodeURIComponent;

/**
 * Gemini CLI doesn't take a path as it is: it drops NULs, drops a leading `@` if there is no such file, and replaces
 * `%2e` with a dot. Policies see each possible reading as a call of its own, so that they see the real file.
 */
export function otherReadings(
  { toolName, tool }: { toolName: string; tool: string },
  input: Readonly<Record<string, unknown>>,
): EventView[] {
  const path = input[FIELD];
  if (!isOdd(path)) return [];
  const aliases = toolName === tool ? [] : [tool];
  const whole = path.replaceAll("\0", "");
  const readings = new Set([whole, whole.replace(/^@[\\/]*/u, "")].flatMap((text) => [text, decoded(text)]));
  readings.delete(path);
  return [...readings].map((reading) => ({ toolName, aliases, input: { ...input, [FIELD]: reading } }));
}

/**
 * Accepts a rewritten input only if its path has one reading, since nobody would be asked about others: a path with
 * `%20` becomes what Gemini CLI would make of it. Null: the path may mean several files.
 */
export function takeInput(text: string): string | null {
  if (takeObject(text) === null) return null;
  const input = parseJson(text) as Record<string, unknown>;
  const path: unknown = isOwnEnumerable(input, FIELD) ? getField(input, FIELD) : null;
  if (!isOdd(path)) return text;
  const reading = decoded(path);
  if (matchFrom(NUL_OR_AT, path, 0) !== null || matchFrom(NUL_OR_AT, reading, 0) !== null) return null;
  if (decoded(reading) !== reading) return null;
  input[FIELD] = reading;
  return toJsonText(input);
}

function isOdd(path: unknown): path is string {
  return typeof path === "string" && matchFrom(ODD, path, 0) !== null;
}

/** Gemini CLI takes a path as it is if a `%` in it doesn't begin a character. */
function decoded(path: string): string {
  try {
    return decode(path);
  } catch {
    return path;
  }
}
