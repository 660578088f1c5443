import { byteLength, encodeText, sliceText } from "../../hot/primordials.ts";
import { writeBytes, writeSome } from "../../hot/write.ts";

/** What the policies of one process, or the programs that they start, may print in one call. */
const MAXIMUM_BYTES = 65_536;
const LEFT_OUT = `\ndrwn: the rest of what policies print is left out, beyond ${MAXIMUM_BYTES} bytes\n`;

/** Hands on to stderr what is printed, up to a point, and says where that is. */
export function openOutlet(): (text: string) => void {
  let left = MAXIMUM_BYTES;
  return (text) => {
    if (left < 0) return;
    const size = byteLength(text);
    if (size <= left) {
      left -= size;
      writeSome(2, text);
      return;
    }
    // No character is shorter than a byte.
    writeBytes(2, encodeText(sliceText(text, 0, left)), left);
    left = -1;
    writeSome(2, LEFT_OUT);
  };
}
