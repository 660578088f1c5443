import { formatJson } from "./write.ts";

/** Keys that reach the prototype of everything, once somebody copies an object carelessly. */
export const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Of JSON, how deep. */
export const MAXIMUM_DEPTH = 64;

/** The line of what lies one deeper than that; the brackets of an empty one stand on it themselves. */
const TOO_DEEP = `\n${"  ".repeat(MAXIMUM_DEPTH)}`;

/**
 * The value of a text that is, byte for byte, what `formatJson` writes for it; undefined of any other, even of good JSON.
 * Such a text has no key twice, since the value that is written again has each key once; it is not too deep; and no
 * forbidden key is in it. To find that out takes Node's own functions a tenth of the time of looking at each character.
 */
export function readOwnJson(text: string): { value: unknown } | undefined {
  if (!isOpening(text) || text.includes(TOO_DEEP)) return undefined;
  if (FORBIDDEN_KEYS.some((key) => text.includes(`"${key}"`))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return formatJson(value) === text ? { value } : undefined;
  } catch {
    // It isn't JSON, or is deeper than Node writes: the reader of each character says what is wrong, and where.
    return undefined;
  }
}

/** A text that begins otherwise needs no second look. */
function isOpening(text: string): boolean {
  return text.startsWith("{\n  ") || text.startsWith("[\n  ");
}
