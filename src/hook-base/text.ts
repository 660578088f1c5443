import { codeUnitAt, sliceText } from "./primordials.ts";

/**
 * Prepares a policy's text for a model or a terminal: control, invisible and reordering characters and unpaired
 * surrogates become visible escapes, line breaks and tabs stay, and the length is capped.
 */
export function cleanText(text: string, maximum: number): string {
  const isLong = text.length > maximum;
  const kept = isLong ? sliceText(text, 0, maximum - 1) : text;
  let cleaned = "";
  let start = 0;
  for (let i = 0; i < kept.length; i++) {
    const unit = codeUnitAt(kept, i);
    if (
      isHighSurrogate(unit) &&
      i + 1 < kept.length &&
      isLowSurrogate(codeUnitAt(kept, i + 1)) &&
      !isHiddenPair(unit)
    ) {
      i++;
      continue;
    }
    if (isPlain(unit)) continue;
    cleaned += `${sliceText(kept, start, i)}\\u{${hexOf(unit)}}`;
    start = i + 1;
  }
  return `${cleaned}${sliceText(kept, start)}${isLong ? "…" : ""}`;
}

/** Like `cleanText`, on one line. */
export function cleanLine(text: string, maximum: number): string {
  const kept = cleanText(text, maximum);
  let line = "";
  let start = 0;
  for (let i = 0; i < kept.length; i++) {
    const unit = codeUnitAt(kept, i);
    if (unit !== 0x0a && unit !== 0x09) continue;
    line += `${sliceText(kept, start, i)} `;
    start = i + 1;
  }
  return `${line}${sliceText(kept, start)}`;
}

function isPlain(unit: number): boolean {
  if (unit < 0x80) return unit === 0x0a || unit === 0x09 || (unit >= 0x20 && unit !== 0x7f);
  if (unit <= 0x9f || unit === 0xad || unit === 0x061c || unit === 0xfeff) return false;
  if (unit >= 0x200b && unit <= 0x200f) return false;
  if (unit >= 0x2028 && unit <= 0x202e) return false;
  if (unit >= 0x2060 && unit <= 0x206f) return false;
  return unit < 0xd800 || unit > 0xdfff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Planes 14 to 16: tags, supplementary variation selectors and private use. */
function isHiddenPair(high: number): boolean {
  return high >= 0xdb40;
}

const DIGITS = "0123456789abcdef";

function hexOf(unit: number): string {
  let hex = "";
  for (let rest = unit; rest > 0; rest >>= 4) hex = sliceText(DIGITS, rest & 15, (rest & 15) + 1) + hex;
  return hex === "" ? "0" : hex;
}
