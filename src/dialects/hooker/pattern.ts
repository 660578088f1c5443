import { toRegExpDetails } from "oniguruma-to-es";
import type { HookerPattern } from "../../contract/hooker.ts";

/** A JavaScript regular expression that finds a match where Ruby's does; or why there is none. */
export function compilePattern(ruby: string): HookerPattern {
  try {
    const source = withAsciiWords(ruby);
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

/** To Ruby `\w` is ASCII, while `\b` is not; Oniguruma has one switch for both. */
function withAsciiWords(ruby: string): string {
  return ruby.replace(/\\(?:([wW])|[\s\S])/gu, (whole, word: string | undefined) => {
    if (word === undefined) return whole;
    return word === "w" ? "[0-9A-Za-z_]" : "[^0-9A-Za-z_]";
  });
}

/** Ruby's `Regexp.escape`. */
export function escapeRuby(text: string): string {
  const names: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\r": "r", "\f": "f", "\v": "v" };
  return text.replace(/[[\]{}()|\-*.\\?+^$# \n\t\r\f\v]/gu, (character) => `\\${names[character] ?? character}`);
}
