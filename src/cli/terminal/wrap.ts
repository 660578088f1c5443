import { stripVTControlCharacters } from "node:util";
import { widthOf } from "./width.ts";

/** Below this a hanging indent leaves no room for words. */
export const LEAST_TEXT = 24;

/**
 * One line as several that fit, broken between words only: what is longer than a line, such as a path, stays whole, but for
 * the alternatives of a matcher, the parts of a name, and what is written without blanks. What hangs over begins below the text
 * behind the label.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const text = stripVTControlCharacters(line);
  const end = COMMAND.test(text) ? CONTINUED : "";
  const label = labelOf(text, columns);
  const hanging = label > 0 ? label : indentOf(text, columns);
  const [first = "", ...others] = piecesOf(line.trimEnd(), { room: columns - hanging, isCommand: end !== "" });
  const lines = [first];
  for (let at = 0; at < others.length; at += 2) {
    const [blanks = "", word = ""] = others.slice(at, at + 2);
    const last = lines.at(-1) ?? "";
    const wanted = widthOf(last) + blanks.length + widthOf(word) + (at + 2 < others.length ? end.length : 0);
    const places = { hanging, least: indentOf(text, columns), columns };
    const isLabel = lines.length === 1 && widthOf(last) < label && !isBetterLeft(word, places);
    if (wanted <= columns || isLabel || (end !== "" && isQuoted(last))) lines[lines.length - 1] = last + blanks + word;
    else {
      const indent = " ".repeat(isBetterLeft(word, places) ? places.least : hanging);
      lines.splice(-1, 1, `${last}${end}`, `${indent}${word}`);
    }
  }
  return lines;
}

interface Places {
  hanging: number;
  least: number;
  columns: number;
}

/** A long word, such as a key, may fit further to the left, and not below the text. */
function isBetterLeft(word: string, { hanging, least, columns }: Places): boolean {
  const width = widthOf(word);
  return hanging + width > columns && least + width <= columns;
}

const BETWEEN = /(?<=\S)( +)(?=\S)/u;
/** Where alternatives of a matcher meet: between two of them something longer than a line may go on in the next. */
const ALTERNATIVES = /(?<=[|,])(?=\S)/u;
/** The parts of a name: `@me/`, `backend@1.0.0`, `#guard`. */
const PARTS_OF_NAME = /(?=#)(?<=^[("[“]*@[^#]*)|(?<=^[("[“]*@[^/#]*\/)/u;
/** Chinese, Japanese and Korean have no blanks between words: a line ends behind any letter, and before no mark. */
const UNSPACED =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}、。，！？」』）])(?=[\p{L}\p{N}「『（])/u;

/** Words, with the blanks between them. */
function piecesOf(line: string, { room, isCommand }: { room: number; isCommand: boolean }): string[] {
  return line.split(BETWEEN).flatMap((piece) => {
    if (isCommand || widthOf(piece) <= room) return [piece];
    const seams = [ALTERNATIVES, PARTS_OF_NAME, ...(piece.includes("/") ? [] : [UNSPACED])];
    const parts = seams.reduce((all, seam) => all.flatMap((part) => part.split(seam)), [piece]);
    return parts.flatMap((part, at) => (at === 0 ? [part] : ["", part]));
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

/** Digests by as many characters as tell them from each other; a command that somebody copies keeps them whole. */
export function shortenDigests(line: string): string {
  return COMMAND.test(stripVTControlCharacters(line)) ? line : line.replaceAll(DIGEST, "$1…");
}

/** No longer and no shorter: nothing else may hide behind what looks like one. */
const DIGEST = /\b((?:drwn1-)?sha512-[\w+/-]{16})[\w+/-]{70}(?:==)?(?![\w+/=-])/gu;
