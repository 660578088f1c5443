import { readAnsiQuoted } from "./ansi-quoted.ts";
import { expandMarked, marked, unmarked } from "./braces.ts";
import { capture, readExpansion, readLiteral, readSubstitution } from "./expansions.ts";
import { peek, type Scan, take, UnreadableCommand } from "./scan.ts";

/** One word of a command. */
export interface Word {
  /** Without quotes. */
  value: string;
  /** The words that the program gets: usually one; for `$x`, as many as the variable holds. */
  fields: string[];
  /** As it is written. */
  source: string;
}

/** Unicode's other blanks aren't blanks for a shell. */
const PLAIN = /[^ \t\r\n;&|()<>\\'"$`]+/y;
const ENDS = /[ \t\r\n;&|()<>]/u;
/** `a=(b c)`, as opposed to a function or a subshell. */
const ARRAY = /^[A-Za-z_]\w*\+?=$/u;

/** Reads the word that begins here. `isFirst`: it may be a program's name, so `!(` isn't a pattern. */
export function readWord(scan: Scan, isFirst: boolean): Word {
  const start = scan.at;
  const word = new WordBuilder();
  while (scan.at < scan.text.length) {
    const here = peek(scan);
    if (here === "(" && takesParentheses(scan, start, isFirst)) word.add(readPattern(scan));
    else if (/[<>]/u.test(here) && peek(scan, 1) === "(") word.add(readProcess(scan));
    else if (ENDS.test(here)) break;
    else readPart(scan, word);
  }
  return word.finish(scan.text.slice(start, scan.at));
}

function readPart(scan: Scan, word: WordBuilder): void {
  const here = peek(scan);
  const next = peek(scan, 1);
  if (here === "\\") {
    if (next !== "\n") word.add(next);
    scan.at += 2;
  } else if (here === "'") word.add(readLiteral(scan));
  else if (here === '"' || (here === "$" && next === '"')) readQuoted(scan, word);
  else if (here === "$" && next === "'") word.add(readAnsiQuoted(scan));
  else if (here === "$" || here === "`") addExpansion(scan, word, false);
  else word.add(marked(take(scan, PLAIN) ?? ""));
}

function readQuoted(scan: Scan, word: WordBuilder): void {
  scan.at += peek(scan) === "$" ? 2 : 1;
  word.add("");
  while (peek(scan) !== '"') {
    const here = peek(scan);
    if (here === "") throw new UnreadableCommand("a double quote is not closed");
    if (here === "\\" && /[$`"\\\n]/u.test(peek(scan, 1))) {
      if (peek(scan, 1) !== "\n") word.add(peek(scan, 1));
      scan.at += 2;
    } else if (here === "$" || here === "`") addExpansion(scan, word, true);
    else word.add(take(scan, /\\|[^"\\$`]+/y) ?? "");
  }
  scan.at++;
}

function addExpansion(scan: Scan, word: WordBuilder, isQuoted: boolean): void {
  const found = readExpansion(scan, isQuoted);
  if (found === null) {
    word.add("$");
    scan.at++;
  } else if (found.list !== undefined && isQuoted) word.list(found.list);
  else if (found.splits && !isQuoted) word.split(found.value);
  else word.add(found.value);
}

function takesParentheses(scan: Scan, start: number, isFirst: boolean): boolean {
  const before = scan.text.slice(start, scan.at);
  return (/[?*+@!]$/u.test(before) && !(isFirst && before === "!")) || ARRAY.test(before);
}

/** An extended pattern or an array, with the words in it. */
function readPattern(scan: Scan): string {
  const start = scan.at;
  scan.at++;
  while (peek(scan) !== ")") {
    if (peek(scan) === "") throw new UnreadableCommand("a parenthesis is not closed");
    const before = scan.at;
    readWord(scan, false);
    if (scan.at === before && peek(scan) === "(") readPattern(scan);
    else if (scan.at === before && peek(scan) !== ")") scan.at++;
  }
  scan.at++;
  return scan.text.slice(start, scan.at);
}

function readProcess(scan: Scan): string {
  const start = scan.at;
  const before = scan.found.length;
  scan.at += 2;
  readSubstitution(scan);
  if (scan.text[start] === "<") capture(scan, before);
  return scan.text.slice(start, scan.at);
}

class WordBuilder {
  #value = "";
  #current: string | null = null;
  readonly #fields: string[] = [];

  /** Text that stays in one piece. */
  add(text: string): void {
    this.#value += text;
    this.#current = (this.#current ?? "") + text;
  }

  /** Text whose blanks separate words. */
  split(text: string): void {
    this.#value += text;
    // What only running the text shows stays in one piece: `$(cat list)`.
    for (const [piece] of text.matchAll(/\s+|(?:\$\([^()]*\)|`[^`]*`|\S)+/gu)) {
      if (/^\s/u.test(piece)) this.#close();
      else this.#current = (this.#current ?? "") + piece;
    }
  }

  /** Texts that each become a word, as in `"$@"`. */
  list(texts: readonly string[]): void {
    for (const [place, text] of texts.entries()) {
      if (place > 0) this.#close();
      this.add(text);
    }
  }

  finish(source: string): Word {
    this.#close();
    return { value: unmarked(this.#value), fields: this.#fields.flatMap(expandMarked), source };
  }

  #close(): void {
    if (this.#current !== null) this.#fields.push(this.#current);
    this.#current = null;
  }
}
