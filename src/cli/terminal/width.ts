import { stripVTControlCharacters } from "node:util";
import fullWidth from "fast-string-width";

/** Nearly all text is like this: one column for each character. */
const PLAIN = /^[ -~]*$/u;

/** How many columns of a terminal this takes: a letter of Chinese, Japanese or Korean takes two, a colour none. */
export function widthOf(text: string): number {
  const shown = text.includes("\u001b") ? stripVTControlCharacters(text) : text;
  return PLAIN.test(shown) ? shown.length : fullWidth(shown);
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** As much of the text as fits: what is redrawn in one line must not fill two. */
export function cutTo(text: string, columns: number): string {
  let cut = "";
  for (const character of text) {
    if (widthOf(cut + character) > columns) return cut;
    cut += character;
  }
  return cut;
}
