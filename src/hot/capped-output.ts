import { byteLength, decodeBytes, encodeText, sliceText } from "./primordials.ts";
import { writeSome } from "./write.ts";

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
