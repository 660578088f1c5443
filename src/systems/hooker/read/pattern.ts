import { toRegExpDetails } from "oniguruma-to-es";
import type { HookerPattern } from "../data/policies.ts";

/** Whether Ruby has it and JavaScript has not: such an error is not the author's. */
export function isUntranslatable(error: string): boolean {
  return /^(?:Un(?:supported|expected)|.*(?:requires (?:min )?target|cannot be used with|can't be case-insensitive))/u.test(
    error,
  );
}

/** A JavaScript regular expression that finds a match where Ruby's does; or why there is none. */
export function compilePattern(ruby: string): HookerPattern {
  try {
    refuseForRuby(ruby);
    const source = inOniguruma(ruby);
    const { pattern, flags } = translate(source, false);
    const ascii = translate(source, true);
    return { source: pattern, flags, ascii: ascii.flags === flags ? ascii.pattern : pattern };
  } catch (error) {
    return { error: `${error instanceof Error ? error.message : ""}: /${ruby}/` };
  }
}

function translate(source: string, asciiWordBoundaries: boolean): { pattern: string; flags: string } {
  const { pattern, flags } = toRegExpDetails(source, {
    // \d and \s mean ASCII to Ruby.
    flags: "DS",
    rules: { asciiWordBoundaries },
    // Data: no class of the library is needed to run it, and Node 20 has all that it may use.
    avoidSubclass: true,
    target: "ES2024",
  });
  return { pattern: new RegExp(pattern, flags).source, flags };
}

/** To Ruby `\w` is ASCII, while `\b` is not; Oniguruma has one switch for both. And some of its letters Ruby does not know. */
function inOniguruma(ruby: string): string {
  return ruby.replace(
    /\\(?:([wW])|([NOyY])|[\s\S])/gu,
    (whole, word: string | undefined, letter: string | undefined) => {
      if (letter !== undefined) return letter;
      if (word === undefined) return whole;
      return word === "w" ? "[0-9A-Za-z_]" : "[^0-9A-Za-z_]";
    },
  );
}

/** What Ruby refuses and JavaScript takes. */
function refuseForRuby(ruby: string): void {
  const code = ruby.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]])*\]/gu, "x");
  for (const [, least, most] of code.matchAll(/\{(\d+),(\d+)\}/gu)) {
    if (Number(least) > Number(most)) throw new Error("too big quantifier in {,}");
  }
  for (const { index } of code.matchAll(/\(\?<[=!]/gu)) {
    if (/(?<!\()[*+?]|\{\d*,/u.test(code.slice(index + "(?<=".length, endOfGroup(code, index)))) {
      throw new Error("invalid pattern in look-behind");
    }
  }
}

function endOfGroup(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code[at] === "(") depth++;
    if (code[at] === ")") depth--;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Ruby's `Regexp.escape`. */
export function escapeRuby(text: string): string {
  const names: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\r": "r", "\f": "f", "\v": "v" };
  return text.replace(/[[\]{}()|\-*.\\?+^$# \n\t\r\f\v]/gu, (character) => `\\${names[character] ?? character}`);
}
