import { readSync as nodeReadSync } from "node:fs";
import { byteLength, codeUnitAt, decodeBytes, newBytes } from "../../hot/primordials.ts";

// Taken before policies can replace it.
const readSync = nodeReadSync;

const STDIN = 0;
/** How many digits the length before each message has. */
const DIGITS = 12;
const LARGEST = 256 * 1024 * 1024;

/** A message for a worker: its length in bytes, then its text. */
export function frameMessage(text: string): string {
  return `${byteLength(text)}`.padStart(DIGITS, "0") + text;
}

/** Waits for the next message on standard input; null: there are no more. Safe to call after policies ran. */
export function readMessage(): string | null {
  const digits = readText(DIGITS);
  if (digits === null) return null;
  let length = 0;
  for (let i = 0; i < DIGITS; i++) length = length * 10 + codeUnitAt(digits, i) - 0x30;
  return length >= 0 && length <= LARGEST ? readText(length) : null;
}

function readText(length: number): string | null {
  const bytes = newBytes(length);
  let read = 0;
  while (read < length) {
    const some = readSync(STDIN, bytes, read, length - read, null);
    if (some === 0) return null;
    read += some;
  }
  return decodeBytes(bytes);
}
