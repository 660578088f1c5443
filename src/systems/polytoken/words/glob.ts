import { PatternFault } from "../../../helpers/pattern/characters.ts";
import { compileGlob } from "../../../helpers/pattern/glob.ts";

const MOST_CHARACTERS = 1024;

/**
 * A shell glob as a test of a whole subject: `*` within a segment, `**` across segments, `?` one character, `[a-z]` and
 * `[!a-z]`, `{a,b}`, and `\` before a character that means itself. Throws a `PatternFault` for what cannot be parsed, and for
 * what no subject matches.
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
