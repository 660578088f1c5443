import { readSync } from "node:fs";
import { sleep } from "./primordials.ts";

const STDIN = 0;
const CHUNK = 65_536;

/** The input of the agent cannot be used; `message` says what is wrong with it. */
export class BrokenEvent extends Error {}

/** All of standard input. Refuses more than `maximum` bytes. */
export function readInput(maximum: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(CHUNK);
    const length = readSome(chunk);
    if (length === 0) return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, length));
    total += length;
    if (total > maximum) throw new BrokenEvent(`is larger than ${maximum} bytes`);
  }
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
