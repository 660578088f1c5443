import fs from "node:fs";
import path from "node:path";
import { readPlainFile } from "../../card/archive/tree.ts";
import { clean } from "../../kernel/text.ts";

export interface CarriedFileLocation {
  /** The folder that is imported: nothing from elsewhere on the machine goes into a card. */
  root: string;
  /** Absolute, as its owner names it. */
  file: string;
}

interface Allowed {
  /** What it should be, in words for a person. */
  noun: string;
  maximumBytes: number;
}

/**
 * The bytes of a regular file that really is below `root`, whatever links lead there; otherwise the reason why it
 * doesn't go into a card.
 */
export function readCarried(
  { root, file }: CarriedFileLocation,
  { noun, maximumBytes }: Allowed,
): Buffer | { why: string } {
  const bound = realPath(root);
  const real = realPath(file);
  const absent = { why: `there is no ${noun} ${clean(file)} that can be read` };
  if (bound === undefined || real === undefined) return absent;
  if (!real.startsWith(bound.endsWith(path.sep) ? bound : `${bound}${path.sep}`)) {
    return {
      why: `the ${noun} ${clean(file)} is outside ${clean(root)}, and nothing from there is put into a card`,
    };
  }
  const bytes = readPlainFile(real, maximumBytes);
  if (bytes === undefined) return absent;
  return bytes === "too-large" ? { why: `${clean(file)} is longer than ${maximumBytes} bytes` } : bytes;
}

function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    return undefined;
  }
}
