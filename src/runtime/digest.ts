import { digestWords } from "./sha256.ts";

/**
 * Loading node:crypto costs more than everything else that one small policy needs, so small files are digested by our own
 * code. Above this many bytes node:crypto is faster, its loading included.
 */
const OWN_CODE_BYTES = 6_144;

/** The same as `kernel/digest.ts` gives: `sha256-` and 64 hex digits. Called only before foreign code runs. */
export function digestOf(bytes: Buffer): string {
  if (bytes.length > OWN_CODE_BYTES) {
    const { createHash }: typeof import("node:crypto") = require("node:crypto");
    return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
  }
  let hex = "";
  for (const word of digestWords(bytes)) hex += (word >>> 0).toString(16).padStart(8, "0");
  return `sha256-${hex}`;
}
