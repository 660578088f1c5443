import { writeSync as nodeWriteSync } from "node:fs";
import { byteLength, decodeBytes, encodeText, getField, now, sleep, sliceText } from "./primordials.ts";

// Taken before policies can replace it: any code that gets a module in a CommonJS program can change it.
const writeSync = nodeWriteSync;

/** How long to wait for a reader that reads nothing. */
const PATIENCE_MS = 5_000;

/** Writes all of the text, or throws. Waits if the pipe is full. */
export function writeAll(fd: number, text: string): void {
  const total = byteLength(text);
  const deadline = now() + PATIENCE_MS;
  let written = patiently(deadline, () => writeSync(fd, text));
  if (written === total) return;
  const bytes = encodeText(text);
  while (written < total) {
    const offset = written;
    written += patiently(deadline, () => writeSync(fd, bytes, offset, total - offset, null));
  }
}

/** Writes the text in one piece. False: only a part of it was written. */
export function writeWhole(fd: number, text: string): boolean {
  return writeSync(fd, text) === byteLength(text);
}

/** Writes as much as it can; for text that affects no answer. */
export function writeSome(fd: number, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // A closed or full stderr changes nothing about the answer.
  }
}

function patiently(deadline: number, write: () => number): number {
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (!isFull(error) || now() > deadline) throw error;
      sleep(1);
    }
  }
}

function isFull(error: unknown): boolean {
  return typeof error === "object" && error !== null && getField(error, "code") === "EAGAIN";
}

const LEFT_OUT = "\ndrwn: the rest of what policies print is left out, beyond 64 KiB\n";
/**
 * Together with that line it fits into an ordinary pipe, so a reader that waits for the end doesn't hold up the answer.
 */
const MAXIMUM_BYTES = 65_536 - LEFT_OUT.length;

/**
 * Passes to stderr what the policies of one process, or the programs that they start, print in one call, up to a limit.
 */
export function openCappedStderr(): (text: string) => void {
  let left = MAXIMUM_BYTES;
  return (text) => {
    if (left < 0) return;
    const capped = capOutput(text, left);
    left = capped === text ? left - byteLength(text) : -1;
    writeSome(2, capped);
  };
}

/**
 * The text if it has at most that many bytes; otherwise its beginning, cut between two characters, and a line that says
 * so.
 */
export function capOutput(text: string, most: number = MAXIMUM_BYTES): string {
  if (byteLength(text) <= most) return text;
  // Every character has at least one byte.
  const bytes = encodeText(sliceText(text, 0, most));
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return decodeBytes(bytes, end) + LEFT_OUT;
}
