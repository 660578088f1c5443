import { stripVTControlCharacters, styleText } from "node:util";
import fullWidth from "fast-string-width";
import { clean } from "../../kernel/text.ts";

type Format = Parameters<typeof styleText>[0];

/** Colour only at a terminal, and never against a person's wish (no-color.org). */
export function isColourful(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

/** drwn has decided whether to use colour: Node needn't look at the stream again. */
const DECIDED = { validateStream: false };

export function makeStyle(colourful: boolean): Style {
  const paint = (format: Format) => (text: string) => (colourful ? styleText(format, text, DECIDED) : text);
  return { bold: paint("bold"), dim: paint("dim"), good: paint("green"), warn: paint("yellow"), bad: paint("red") };
}

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

/** With less than this, a hanging indent leaves no room for words. */
export const LEAST_TEXT = 24;

/**
 * One line as several that fit, broken only between words. A word longer than a line, such as a path, stays whole; only
 * a matcher's alternatives, the parts of a name and languages without spaces are broken. The other lines begin below
 * the text after the label.
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

interface WrapColumns {
  hanging: number;
  least: number;
  columns: number;
}

/** A long word, such as a key, may not fit below the text, but further to the left. */
function isBetterLeft(word: string, { hanging, least, columns }: WrapColumns): boolean {
  const width = widthOf(word);
  return hanging + width > columns && least + width <= columns;
}

const BETWEEN = /(?<=\S)( +)(?=\S)/u;
/** Where a matcher's alternatives meet: a matcher longer than a line may continue in the next one there. */
const ALTERNATIVES = /(?<=[|,])(?=\S)/u;
/** The parts of a name: `@me/`, `backend@1.0.0`, `#guard`. */
const PARTS_OF_NAME = /(?=#)(?<=^[("[“]*@[^#]*)|(?<=^[("[“]*@[^/#]*\/)/u;
/**
 * Chinese, Japanese and Korean have no spaces between words: a line may end after any letter, but not before a
 * punctuation mark.
 */
const UNSPACED =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}、。，！？」』）])(?=[\p{L}\p{N}「『（])/u;

/** Words, with the spaces between them. */
function piecesOf(line: string, { room, isCommand }: { room: number; isCommand: boolean }): string[] {
  return line.split(BETWEEN).flatMap((piece) => {
    if (isCommand || widthOf(piece) <= room) return [piece];
    const seams = [ALTERNATIVES, PARTS_OF_NAME, ...(piece.includes("/") ? [] : [UNSPACED])];
    const parts = seams.reduce((all, seam) => all.flatMap((part) => part.split(seam)), [piece]);
    return parts.flatMap((part, at) => (at === 0 ? [part] : ["", part]));
  });
}

/** A command that a person copies into a shell continues after a backslash, and is never broken inside quotes. */
const COMMAND = /(?:^|(?:Next|hint|then): )drwn [a-z]/u;
const CONTINUED = " \\";

function isQuoted(text: string): boolean {
  return text.split("'").length % 2 === 0;
}

/** The length of a label, which two or more spaces end; 0: there is none, or the rest has no room beside it. */
function labelOf(text: string, columns: number): number {
  const { length } = /^ *\S+(?: \S+)*? {2,}(?=\S)/u.exec(text)?.[0] ?? "";
  return columns - length >= LEAST_TEXT ? length : 0;
}

/** Two columns further than the line itself. */
function indentOf(text: string, columns: number): number {
  return Math.min((/^ */u.exec(text)?.[0].length ?? 0) + 2, Math.max(0, columns - LEAST_TEXT));
}

/** Shortens digests to as many characters as tell them apart; in a command that somebody copies they stay whole. */
export function shortenDigests(line: string): string {
  return COMMAND.test(stripVTControlCharacters(line)) ? line : line.replaceAll(DIGEST, "$1…");
}

/** Exactly the length of a digest: nothing else may hide in what looks like one. */
const DIGEST = /\b((?:drwn1-)?sha512-[\w+/-]{16})[\w+/-]{70}(?:==)?(?![\w+/=-])/gu;

/** In the reader's time zone: `2026-01-31 14:03:11`. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return clean(iso, 40);
  const two = (number: number): string => `${number}`.padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}
