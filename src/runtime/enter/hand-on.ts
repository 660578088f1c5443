import { unlinkSync, writeFileSync, writeSync } from "node:fs";
import { HANDED_ON, WORD_OUTPUT } from "../../contract/hook-status.ts";
import { encodeText, exitNow } from "../../hot/primordials.ts";
import { BrokenEvent, readBeginning } from "../../hot/read-input.ts";

/** V8 then hashes strings by the number that this Node was built with, which is the same everywhere. */
const FORETOLD = "--no-rehash-snapshot";

/**
 * So many bytes at most may have been made by somebody who knows that number: of strings that collide they hold some three thousand, which
 * take a third of a second to tell apart. Of a megabyte it would be minutes.
 */
const LARGEST_FORETOLD = 32_768;

/**
 * The event of a process of foretold hashes. Where it is too large for that, this process tells the launcher what it has read, and ends: the
 * launcher starts another, whose standard input begins with it. Throws a `BrokenEvent`.
 */
export function readForetold(): Uint8Array {
  const bytes = readBeginning(LARGEST_FORETOLD);
  if (bytes.length <= LARGEST_FORETOLD) return bytes;
  // A shell has no text with such a byte.
  if (bytes.includes(0)) throw new BrokenEvent("is not JSON");
  for (const part of [encodeText("+"), bytes, encodeText(".")]) {
    for (let at = 0; at < part.length; ) at += writeSync(WORD_OUTPUT, part, at);
  }
  exitNow(HANDED_ON);
  throw new BrokenEvent("is for another process");
}

/** Whether anybody can foretell the hashes of this process. */
export function isForetold(): boolean {
  return process.execArgv.includes(FORETOLD);
}

/** Whether a process of foretold hashes leaves an event of these bytes to another. */
export function isTooLarge({ length }: Uint8Array): boolean {
  return length > LARGEST_FORETOLD;
}

/** Lays an event into the file, for another process. Throws a `BrokenEvent`. */
export function layAside(bytes: Uint8Array, file: string): void {
  try {
    // What lies there was left by a process that was killed, or is another container's that shares this home and has the same numbers:
    // two calls must not be judged by one event. So this one is blocked, and the next finds nothing there.
    writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
  } catch (error) {
    remove(file);
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new BrokenEvent(`is for another process, and could not be kept for it${code}`);
  }
}

/** What is in it may be secret. */
export function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is not there, or cannot be replaced either.
  }
}
