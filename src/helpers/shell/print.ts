import { oneOf } from "../pattern/one-of.ts";
import type { ReadCommand } from "./commands.ts";
import { unescaped } from "./parse/ansi-quoted.ts";
import { hasUnknown, unquoted } from "./parse/marks.ts";

/** Beyond, the text of a padded number isn't made. */
const WIDEST = 1_000;
const LONGEST = 100_000;
const DIRECTIVE = () => /%(%|[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[a-zA-Z])/gu;

/** What `echo` or `printf` prints; undefined: the program is another one, or only running it shows the text. */
export function printedText([program, ...given]: readonly string[]): string | undefined {
  if (program === "echo") return echoText(given);
  return program === "printf" ? printfText(given) : undefined;
}

function echoText(given: readonly string[]): string {
  const first = given.findIndex((word) => !/^-[neE]+$/u.test(word));
  const options = given.slice(0, first < 0 ? given.length : first).join("");
  const text = given.slice(first < 0 ? given.length : first).join(" ");
  const escapes = [...options].findLast((letter) => letter === "e" || letter === "E");
  const shown = escapes === "e" ? (unescaped(text).split("\\c")[0] ?? "") : text;
  return options.includes("n") ? shown : `${shown}\n`;
}

/** What printf prints: its format, repeated while arguments are left. */
export function printfText(words: readonly string[]): string | undefined {
  const [format = "", ...given] = words[0] === "--" ? words.slice(1) : words;
  if (words[0] === "-v" || hasUnknown(format)) return hasUnknown(format) ? undefined : "";
  const left = [...given];
  let text = "";
  do {
    const before = left.length;
    const round = printfRound(format, left);
    if (round === undefined || text.length > LONGEST) return undefined;
    text += round;
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
}

function printfRound(format: string, left: string[]): string | undefined {
  let text = "";
  let from = 0;
  for (const { 0: whole, 1: inside = "", index } of format.matchAll(DIRECTIVE())) {
    text += unescaped(format.slice(from, index));
    from = index + whole.length;
    const shown = inside === "%" ? "%" : converted(inside, left);
    if (shown === undefined) return undefined;
    text += shown;
  }
  return text + unescaped(format.slice(from));
}

/** One argument as `%s`, `%-3b`, `%.2q` or `%03d` show it; undefined: this isn't known. */
function converted(inside: string, left: string[]): string | undefined {
  const [, flags = "", width = "", precision, letter = ""] =
    /^([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*)?)?([a-zA-Z])$/u.exec(inside) ?? [];
  if (width === "*" || precision === "*" || Number(width) > WIDEST) return undefined;
  const word = left.shift() ?? "";
  const shown = shownAs(letter, word);
  // Widths count bytes.
  if (shown === undefined || (inside.length > 1 && (/[^\0-\x7f]/u.test(shown) || /[^sb]/u.test(letter))))
    return undefined;
  const cut = precision === undefined ? shown : [...shown].slice(0, Number(precision)).join("");
  if (precision === undefined && inside.includes(".")) return "".padStart(Number(width));
  return flags.includes("-") ? cut.padEnd(Number(width)) : cut.padStart(Number(width));
}

function shownAs(letter: string, word: string): string | undefined {
  if (letter === "s") return word;
  if (letter === "b") return word.includes("\\c") ? undefined : unescaped(word);
  if (letter === "c") return [...word][0] ?? "";
  if (/[di]/u.test(letter)) return /^-?(?:0|[1-9]\d{0,14})?$/u.test(word) ? (word === "" ? "0" : word) : undefined;
  if (/[ouxX]/u.test(letter) && /^\d{1,15}$/u.test(word) && !/^0\d/u.test(word)) {
    const text = Number(word).toString(letter === "o" ? 8 : letter === "u" ? 10 : 16);
    return letter === "X" ? text.toUpperCase() : text;
  }
  return letter === "q" && /^[\w@%+=:,./-]+$/u.test(word) ? word : undefined;
}

/** Programs that print nothing, whatever they do otherwise. */
const SILENT = oneOf(": true false set shift export local declare typeset readonly read unset cd return");

/**
 * What a command prints; undefined: only running it shows the text. `listed` gives a pattern the text that stands for
 * the files that it finds.
 */
export function printedBy(
  { words: [program = "", ...given], redirections }: ReadCommand,
  listed: (text: string) => string,
): string | undefined {
  if (redirections.some(({ operator, descriptor }) => />/u.test(operator) && descriptor !== "2")) return undefined;
  // `$(< file)` is what the file holds.
  if (program === "" && redirections.length > 0) return undefined;
  if (program === "" || (SILENT(program) && !given.some((word) => word === "-p"))) return "";
  if (program !== "cat") return printedText([program, ...given.map(listed)]);
  const [input, ...others] = redirections;
  if (given.some((word) => word !== "-") || input === undefined || others.length > 0) return undefined;
  return input.operator === "<<<" ? `${unquoted(input.target)}\n` : input.body;
}
