import { toRegExpDetails } from "oniguruma-to-es";
import type { HookerPattern } from "../data/policies.ts";

/** Whether Ruby has this and JavaScript lacks it: then the error isn't the author's. */
export function isUntranslatable(error: string): boolean {
  return /^(?:Un(?:supported|expected)|.*(?:requires (?:min )?target|cannot be used with|can't be case-insensitive))/u.test(
    error,
  );
}

/** A JavaScript regular expression that finds a match where Ruby's does, or the reason why there is none. */
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
    // In Ruby, \d and \s are ASCII.
    flags: "DS",
    rules: { asciiWordBoundaries },
    // The result is data: it runs without a class of the library, and Node 20 has everything that it may use.
    avoidSubclass: true,
    target: "ES2024",
  });
  return { pattern: new RegExp(pattern, flags).source, flags };
}

/**
 * In Ruby `\w` is ASCII and `\b` isn't; Oniguruma has one switch for both. Ruby also lacks some of Oniguruma's letters.
 */
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

/** Throws for what Ruby refuses and JavaScript accepts. */
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
