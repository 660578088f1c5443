import { createHasher, type Hasher, LONGEST } from "./fast-sha256.ts";
import { lengthOfBytes } from "./primordials.ts";
import { digestWords, hexOfWords } from "./sha256.ts";

/** Created for the first digest; null: this Node has no WebAssembly. */
let hasher: Hasher | null | undefined;

/**
 * The same as in `kernel/digest.ts`: `sha256-` and 64 hex digits. Call it only before foreign code runs. Loading
 * node:crypto costs more than everything else that the hook does, so it is only used for files larger than anybody has.
 */
export function digestOfFile(bytes: Uint8Array): string {
  if (bytes.length > LONGEST) {
    const { createHash }: typeof import("node:crypto") = require("node:crypto");
    return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
  }
  if (hasher === undefined) hasher = createHasher();
  return `sha256-${digestLate(bytes)}`;
}

/**
 * 64 hex digits, for text that is made after policies ran: it loads nothing, and relies on no built-in that a policy
 * could have replaced.
 */
export function digestLate(bytes: Uint8Array): string {
  const fast = lengthOfBytes(bytes) > LONGEST ? null : (hasher ?? null);
  return hexOfWords(fast === null ? digestWords(bytes) : fast(bytes));
}
