import { writeSync } from "node:fs";
import { HANDED_OVER, STATUS_FD } from "../../contract/hook-status.ts";
import { encodeText, exitNow } from "../../hot/primordials.ts";
import { BrokenEvent, readBeginning } from "../../hot/read-input.ts";

/** With this flag V8 hashes strings with the seed that this Node was built with, which is the same everywhere. */
const FIXED_HASH_SEED_FLAG = "--no-rehash-snapshot";

/**
 * The most bytes that may come from somebody who knows that seed. They hold some three thousand strings with colliding
 * hashes, which V8 takes a third of a second to tell apart. For a megabyte it would take minutes.
 */
const LARGEST_WITH_FIXED_SEED = 32_768;

/**
 * Reads the event of a process whose hashes can be foretold. If the event is too large, this process tells the launcher
 * what it has read, and ends; the launcher starts another process, whose standard input begins with that. Throws a
 * `BrokenEvent`.
 */
export function readLimitedEvent(): Uint8Array {
  const bytes = readBeginning(LARGEST_WITH_FIXED_SEED);
  if (bytes.length <= LARGEST_WITH_FIXED_SEED) return bytes;
  // A shell cannot hold a zero byte in a text.
  if (bytes.includes(0)) throw new BrokenEvent("is not JSON");
  for (const part of [encodeText("+"), bytes, encodeText(".")]) {
    for (let at = 0; at < part.length; ) at += writeSync(STATUS_FD, part, at);
  }
  exitNow(HANDED_OVER);
  throw new BrokenEvent("is for another process");
}

/** Whether anybody can foretell the hashes of this process. */
export function hasFixedHashSeed(): boolean {
  return process.execArgv.includes(FIXED_HASH_SEED_FLAG);
}
