import { writeSync as nodeWriteSync } from "node:fs";
import { byteLength, encodeText, getField, now, sleep } from "./primordials.ts";

// Taken while it is Node's own: the module of a CommonJS program can be changed by whoever gets it.
const writeSync = nodeWriteSync;

/** How long a reader that takes nothing is waited for. */
const PATIENCE_MS = 5_000;

/** Writes all of the text, or throws. A full pipe is waited for. */
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

/** Writes the text in one piece, or says that less than all of it was written. */
export function writeWhole(fd: number, text: string): boolean {
  return writeSync(fd, text) === byteLength(text);
}

/** Writes what can be written; for text that decides nothing. */
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
