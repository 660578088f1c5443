import { stripVTControlCharacters } from "node:util";

/** Below this a hanging indent leaves no room for words. */
const LEAST_TEXT = 24;

/**
 * One line as several that fit, broken between words only: what is longer than a line, such as a path, stays whole, but for
 * the alternatives of a matcher. What hangs over begins below the text behind the label.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const text = stripVTControlCharacters(line);
  const end = COMMAND.test(text) ? CONTINUED : "";
  const label = labelOf(text, columns);
  const hanging = " ".repeat(label > 0 ? label : indentOf(text, columns));
  const [first = "", ...others] = piecesOf(line.trimEnd(), columns - hanging.length);
  const lines = [first];
  for (let at = 0; at < others.length; at += 2) {
    const [blanks = "", word = ""] = others.slice(at, at + 2);
    const last = lines.at(-1) ?? "";
    const wanted = widthOf(last) + blanks.length + widthOf(word) + (at + 2 < others.length ? end.length : 0);
    const isLabel = lines.length === 1 && widthOf(last) < label;
    if (wanted <= columns || isLabel || (end !== "" && isQuoted(last))) lines[lines.length - 1] = last + blanks + word;
    else lines.splice(-1, 1, `${last}${end}`, `${hanging}${word}`);
  }
  return lines;
}

const BETWEEN = /(?<=\S)( +)(?=\S)/u;
/** Where alternatives of a matcher meet: between two of them something longer than a line may go on in the next. */
const ALTERNATIVES = /(?<=[|,])(?=\S)/u;

/** Words, with the blanks between them. */
function piecesOf(line: string, room: number): string[] {
  return line.split(BETWEEN).flatMap((piece) => {
    if (widthOf(piece) <= room || COMMAND.test(stripVTControlCharacters(line))) return [piece];
    return piece.split(ALTERNATIVES).flatMap((part, at) => (at === 0 ? [part] : ["", part]));
  });
}

/** What a person copies into a shell goes on behind a backslash, and is never broken inside quotes. */
const COMMAND = /(?:^|(?:Next|hint|then): )drwn [a-z]/u;
const CONTINUED = " \\";

function isQuoted(text: string): boolean {
  return text.split("'").length % 2 === 0;
}

/** The length of a label that two blanks or more end; 0: there is none, or what follows has no room beside it. */
function labelOf(text: string, columns: number): number {
  const { length } = /^ *\S+(?: \S+)*? {2,}(?=\S)/u.exec(text)?.[0] ?? "";
  return columns - length >= LEAST_TEXT ? length : 0;
}

/** Two further than the line itself. */
function indentOf(text: string, columns: number): number {
  return Math.min((/^ */u.exec(text)?.[0].length ?? 0) + 2, Math.max(0, columns - LEAST_TEXT));
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Digests by as many characters as tell them from each other. */
export function shortenDigests(line: string): string {
  return line.replaceAll(/(drwn1-sha512-[\w-]{16})[\w-]+/gu, "$1…");
}
