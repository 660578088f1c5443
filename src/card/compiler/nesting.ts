/** Deeper than people write, but far from where a recursive parser runs out of stack. */
export const MAXIMUM_NESTING = 2_000;

/**
 * Whether brackets nest more deeply than a compiler or a JavaScript engine can follow. Brackets in strings and comments
 * count, too: most of them close again.
 */
export function isNestedTooDeeply(source: Uint8Array): boolean {
  let depth = 0;
  for (const byte of source) {
    // ( [ { and ) ] }
    if (byte === 0x28 || byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x29 || byte === 0x5d || byte === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > MAXIMUM_NESTING) return true;
  }
  return false;
}
