import type { HookFacts } from "./ledger.ts";

export const EXCEPTION_ID = /^[0-9a-f]{12}$/u;

/** The text that binds an exception to the facts of its hook. */
export function factsText({ kind, matcher, phases, timeoutMs, capabilities, options }: HookFacts): string {
  return JSON.stringify([kind, matcher, phases, timeoutMs, capabilities, options ?? null]);
}

const PLAIN = /^[A-Za-z0-9_.,:/@%+=-]$/u;
const IN_QUOTES = /^[ -~]$/u;
const EXPANDED_IN_DOUBLE = /^[$`\\!]$/u;

/**
 * The words of a shell command that is just one program with its arguments; null for any text in which a shell could
 * see more: a list, a pipe, a substitution, a variable, a pattern, a redirection, an assignment.
 */
export function plainWords(command: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (const character of command) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (!IN_QUOTES.test(character) || (quote === '"' && EXPANDED_IN_DOUBLE.test(character))) return null;
      else word = `${word ?? ""}${character}`;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== null) words.push(word);
      word = null;
    } else if (PLAIN.test(character)) word = `${word ?? ""}${character}`;
    else return null;
  }
  if (word !== null) words.push(word);
  const [program = ""] = words;
  return quote !== "" || program === "" || program.includes("=") ? null : words;
}

/** Whether each word matches its glob. */
export function matchesWords(globs: readonly string[], words: readonly string[]): boolean {
  return globs.length === words.length && globs.every((glob, at) => matchesWord(glob, words[at] ?? ""));
}

/**
 * A wildcard stands for a part of one plain word: letters, digits, `_`, `-` and `.`, and with `**` also `/`. So whoever
 * reads the word again (a shell behind `ssh`, `curl` with its `@file`, git with its `+refspec`) sees a plain word, too.
 * At the beginning of a word or of a part of it, it matches neither an option nor a hidden file.
 */
function matchesWord(glob: string, word: string): boolean {
  if (!hasWildcard(glob)) return glob === word;
  if (word.length > LONGEST_WORD || /(?:^|[/=:])\.\.?(?:\/|$)/u.test(word)) return false;
  return expressionOf(glob).test(word);
}

const LONGEST_WORD = 300;

export function hasWildcard(glob: string): boolean {
  return /[*?]/u.test(glob);
}

const FIRST = "[A-Za-z0-9_]";
const NEXT = "[A-Za-z0-9_.-]";

/** A person writes the glob, so it has only a few stars, and the expression is fast. */
function expressionOf(glob: string): RegExp {
  const source = glob.replace(/\*+|\?|[^A-Za-z0-9]/gu, (part, at: number) => {
    const begins = at === 0 || !/[A-Za-z0-9_.*?-]/u.test(glob[at - 1] ?? "");
    const one = begins ? FIRST : NEXT;
    if (part === "?") return one;
    if (!part.startsWith("*")) return `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`;
    const name = begins ? `${FIRST}${NEXT}*` : `${NEXT}+`;
    return part === "*" ? name : `${name}(?:/${FIRST}${NEXT}*)*`;
  });
  return new RegExp(`^(?:${source})$`, "u");
}
