import { readSync } from "node:fs";
import { min, sleep } from "./primordials.ts";

const STDIN = 0;
const CHUNK = 65_536;

/** The agent's input cannot be used; `message` says what is wrong with it. */
export class BrokenEvent extends Error {}

/** Reads all of standard input. Refuses more than `maximum` bytes. */
export function readInput(maximum: number): Uint8Array {
  const bytes = readBeginning(maximum);
  if (bytes.length > maximum) throw new BrokenEvent(`is larger than ${maximum} bytes`);
  return bytes;
}

/** Reads standard input, but at most one byte more than `most`. The rest can be read later. */
export function readBeginning(most: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total <= most) {
    const chunk = readChunk(min(CHUNK, most + 1 - total));
    if (chunk.length === 0) break;
    chunks.push(chunk);
    total += chunk.length;
  }
  return join(chunks, total);
}

function join(chunks: Uint8Array[], total: number): Uint8Array {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, total);
}

/** The next bytes, at most `most`; empty at the end of the input. */
function readChunk(most: number): Uint8Array {
  const chunk = new Uint8Array(most);
  for (;;) {
    try {
      return chunk.subarray(0, readSync(STDIN, chunk, 0, chunk.length, null));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return chunk.subarray(0, 0);
      if (code !== "EAGAIN") throw new BrokenEvent("cannot be read");
      sleep(1);
    }
  }
}
