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
 * `*` and `?` stop at a slash, `**` doesn't, and a star matches at least one character. A wildcard never matches the
 * beginning of an option or `..`, and stops where programs divide a word: `user/*` doesn't match `user/x:main`.
 */
function matchesWord(glob: string, word: string): boolean {
  if (glob === word) return true;
  if (!hasWildcard(glob) || /(?:^|[/=:])\.\.?(?:\/|$)/u.test(word) || word === "") return false;
  return (glob.startsWith("-") || !word.startsWith("-")) && expressionOf(glob).test(word);
}

export function hasWildcard(glob: string): boolean {
  return /[*?]/u.test(glob);
}

/** A person writes the glob, so it has only a few stars, and the expression is fast. */
function expressionOf(glob: string): RegExp {
  const source = glob.replace(/\*+|\?|[^A-Za-z0-9]/gu, (part) => {
    if (part === "*") return "[^/:=, ]+";
    if (part.startsWith("*")) return "[^:=, ]+";
    return part === "?" ? "[^/:=, ]" : `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return new RegExp(`^(?:${source})$`, "u");
}
