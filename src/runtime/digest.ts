import { createHasher, type Hasher, LONGEST } from "./fast-sha256.ts";
import { lengthOfBytes } from "./primordials.ts";
import { digestWords, hexOfWords } from "./sha256.ts";

/** As many bytes, of all files together, as our own code takes less time for than WebAssembly takes to begin. */
const OWN_CODE_BYTES = 4_096;

let total = 0;
/** Made when it first pays; null: this Node has no WebAssembly. */
let hasher: Hasher | null | undefined;

/**
 * The same as `kernel/digest.ts` gives: `sha256-` and 64 hex digits. Called only before foreign code runs. Loading node:crypto
 * costs more than everything else that the hook does, so only files that nobody has are left to it.
 */
export function digestOf(bytes: Buffer): string {
  if (bytes.length > LONGEST) {
    const { createHash }: typeof import("node:crypto") = require("node:crypto");
    return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
  }
  return `sha256-${hexOfWords(wordsOf(bytes))}`;
}

function wordsOf(bytes: Buffer): Int32Array {
  total += bytes.length;
  if (total <= OWN_CODE_BYTES) return digestWords(bytes);
  if (hasher === undefined) hasher = createHasher();
  return hasher === null ? digestWords(bytes) : hasher(bytes);
}

/**
 * 64 hex digits, of a text that is made after policies ran: nothing is loaded for it, and no built-in is relied on that a policy
 * could have replaced.
 */
export function digestLate(bytes: Uint8Array): string {
  const fast = lengthOfBytes(bytes) > LONGEST ? null : (hasher ?? null);
  return hexOfWords(fast === null ? digestWords(bytes) : fast(bytes));
}
