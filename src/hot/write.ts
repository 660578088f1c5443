import { writeSync as nodeWriteSync } from "node:fs";
import { byteLength, encodeText, getField, now, sleep } from "./primordials.ts";

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
