import { compileGlob, type GlobDialect } from "./pattern/glob.ts";

const DIALECT: GlobDialect = {
  stopsAtSlash: true,
  stars: "across-slashes",
  negations: ["!", "^"],
  hasBraces: true,
};

const LONGEST_TEXT = 4_096;

/**
 * Whether the whole text matches one of the globs, in the syntax of options of type `globs`: `*` and `?` stop at a
 * slash, `**` doesn't, and there are `[a-z]`, `{a,b}` and `\`. Throws a `TypeError` for a text that is too long, and a
 * `PatternFault` for an invalid glob.
 */
export function matchesGlob(globs: readonly string[], text: string): boolean {
  if (text.length > LONGEST_TEXT) throw new TypeError(`a text of ${text.length} characters is too long for a glob`);
  return globs.some((glob) => compileOptionGlob(glob)(text));
}

/** Throws a `PatternFault` for an invalid glob. */
export function compileOptionGlob(glob: string): (text: string) => boolean {
  return compileGlob(glob, DIALECT);
}
