import { compileGlob } from "../../../helpers/pattern/glob.ts";
import { PatternFault } from "../../../helpers/pattern/syntax.ts";

const MOST_CHARACTERS = 1024;

/**
 * Compiles a shell glob that tests a whole subject: `*` within a segment, `**` across segments, `?` for one character,
 * `[a-z]` and `[!a-z]`, `{a,b}`, and `\` before a literal character. Throws a `PatternFault` if it cannot be parsed, or
 * if no subject could match it.
 */
export function compilePolytokenGlob(glob: string): (subject: string) => boolean {
  if (glob === "") throw new PatternFault("it is empty, so it would never match");
  if (glob.length > MOST_CHARACTERS) throw new PatternFault(`it has more than ${MOST_CHARACTERS} characters`);
  return compileGlob(glob, {
    stopsAtSlash: true,
    stars: "across-slashes",
    negations: ["!", "^"],
    hasBraces: true,
  });
}
