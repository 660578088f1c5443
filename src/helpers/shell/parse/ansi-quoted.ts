import { peek, type Scan, take, UnbalancedCommand } from "./scan.ts";

const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const CODE = () =>
  /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|0?([0-7]{1,3})|c([\s\S])|([\s\S]))/gu;
const LARGEST_CODE_POINT = 0x10_ff_ff;

/** Reads the text of `$'…'`, beginning at the `$`. */
export function readAnsiQuoted(scan: Scan): string {
  scan.at += 2;
  const inside = take(scan, /(?:[^'\\]|\\[\s\S])*/y) ?? "";
  if (peek(scan) !== "'") throw new UnbalancedCommand("a quote is not closed");
  scan.at++;
  return unescaped(inside);
}

/** A text with the characters that its backslashes stand for, as in `$'…'`, `printf` and `echo -e`. */
export function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(CODE(), (written, hex, short, long, octal, control, other: string | undefined) => {
    if (other !== undefined) return LETTERS[other] ?? (/["'?\\]/u.test(other) ? other : written);
    if (control !== undefined) return String.fromCharCode(String(control).charCodeAt(0) & 0x1f);
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8) & 0xff;
    const isSurrogate = code >= 0xd8_00 && code <= 0xdf_ff;
    return code > LARGEST_CODE_POINT || isSurrogate ? "\u{fffd}" : String.fromCodePoint(code);
  });
}
