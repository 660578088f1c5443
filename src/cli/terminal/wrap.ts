import { stripVTControlCharacters } from "node:util";

/** Below this a hanging indent leaves no room for words. */
const LEAST_TEXT = 24;

/**
 * One line as several that fit, broken between words only: what is longer than a line, such as a path, stays whole. What hangs over
 * begins below the text behind the label.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const hanging = hangingOf(stripVTControlCharacters(line), columns);
  const [first = "", ...words] = line.trimEnd().split(/(?<=\S) (?=\S)/u);
  const lines = [first];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    if (widthOf(last) + 1 + widthOf(word) <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${" ".repeat(hanging)}${word}`);
  }
  return lines;
}

/** Behind a label that two blanks or more end, else two further than the line itself. */
function hangingOf(text: string, columns: number): number {
  const label = /^ *\S+(?: \S+)*? {2,}(?=\S)/u.exec(text)?.[0].length ?? 0;
  if (label > 0 && columns - label >= LEAST_TEXT) return label;
  return Math.min((/^ */u.exec(text)?.[0].length ?? 0) + 2, Math.max(0, columns - LEAST_TEXT));
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Digests by as many characters as tell them from each other. */
export function shortenDigests(line: string): string {
  return line.replaceAll(/(drwn1-sha512-[\w-]{16})[\w-]+/gu, "$1…");
}
