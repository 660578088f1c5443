import { readSync } from "node:fs";
import { sleep } from "./primordials.ts";

const STDIN = 0;
const CHUNK = 65_536;

/** The input of the agent cannot be used; `message` says what is wrong with it. */
export class BrokenEvent extends Error {}

/** All of standard input, and where it has an end of its own, what is before that. Refuses more than `maximum` bytes. */
export function readInput(maximum: number, end: Uint8Array | null = null): Uint8Array {
  const chunks: Uint8Array[] = [];
  const more = end?.length ?? 0;
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(CHUNK);
    const length = readSome(chunk);
    if (length === 0) {
      if (end !== null) throw new BrokenEvent("was cut short");
      return join(chunks, total);
    }
    chunks.push(chunk.subarray(0, length));
    total += length;
    if (total > maximum + more) throw new BrokenEvent(`is larger than ${maximum} bytes`);
    if (end !== null && isAtEnd(chunks, end)) return join(chunks, total).subarray(0, total - more);
  }
}

function join(chunks: Uint8Array[], total: number): Uint8Array {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, total);
}

function isAtEnd(chunks: readonly Uint8Array[], end: Uint8Array): boolean {
  let left = end.length;
  for (let index = chunks.length - 1; index >= 0; index--) {
    const chunk = chunks[index];
    for (let at = (chunk?.length ?? 0) - 1; at >= 0; at--) {
      if (left === 0) return true;
      left--;
      if (chunk?.[at] !== end[left]) return false;
    }
  }
  return left === 0;
}

function readSome(chunk: Uint8Array): number {
  for (;;) {
    try {
      return readSync(STDIN, chunk, 0, chunk.length, null);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw new BrokenEvent("cannot be read");
      sleep(1);
    }
  }
}
