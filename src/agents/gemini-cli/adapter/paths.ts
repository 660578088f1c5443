import type { EventView } from "../../../hot/adapter/adapter.ts";
import { takeObject } from "../../../hot/adapter/tool-call.ts";
import { toJsonText } from "../../../hot/json-text.ts";
import { getField, isOwnEnumerable, matchFrom, parseJson } from "../../../hot/primordials.ts";

/** The one path that Gemini CLI reads so: `dir_path` it takes as it is. */
const FIELD = "file_path";
const ODD = /[%\0]|^@/gu;
const NUL_OR_AT = /\0|^@/gu;
const decode = decodeURIComponent;

/**
 * Gemini CLI does not take a path as it is: it drops NULs, an `@` in front where no such file is there, and replaces `%2e` by a
 * dot. Whatever a path may come to is shown as a call of its own, so that a policy sees the file that is meant.
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
 * An input whose path means what it says, since nobody would be asked about other readings of a rewrite: of `%20` is made what
 * Gemini CLI would make of it. Null: the path may come to several files.
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

/** Gemini CLI takes a path as it is when a `%` in it begins no character. */
function decoded(path: string): string {
  try {
    return decode(path);
  } catch {
    return path;
  }
}
