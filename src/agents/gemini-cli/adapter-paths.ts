import { getField, matchFrom, parseJson } from "../../runtime/primordials.ts";
import type { EventView } from "../adapter.ts";
import { isObjectText } from "../adapter-call.ts";

const FIELDS = ["file_path", "dir_path"] as const;
const ODD = /[%\0]|^@/gu;

/**
 * Gemini CLI does not take a path as it is: it drops NULs, an `@` in front where no such file is there, and replaces `%2e` by a
 * dot. Whatever a path may come to is shown as a call of its own, so that a policy sees the file that is meant.
 */
export function otherReadings(
  { toolName, tool }: { toolName: string; tool: string },
  input: Readonly<Record<string, unknown>>,
): EventView[] {
  const aliases = toolName === tool ? [] : [tool];
  return FIELDS.flatMap((field) => {
    const path = input[field];
    if (!isOdd(path)) return [];
    const whole = path.replaceAll("\0", "");
    const readings = new Set([whole, whole.replace(/^@[\\/]*/u, "")].flatMap((text) => [text, decoded(text)]));
    readings.delete(path);
    return [...readings].map((reading) => ({ toolName, aliases, input: { ...input, [field]: reading } }));
  });
}

/** Whether JSON text is that of an input whose paths mean what they say: nobody would be asked about other readings of a rewrite. */
export function isPlainInput(text: string): boolean {
  if (!isObjectText(text)) return false;
  const input = parseJson(text) as object;
  return !isOdd(getField(input, FIELDS[0])) && !isOdd(getField(input, FIELDS[1]));
}

function isOdd(path: unknown): path is string {
  return typeof path === "string" && matchFrom(ODD, path, 0) !== null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
