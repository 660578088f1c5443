/** What is wrong with a glob or a regular expression, in a few words. */
export class MatcherFault extends Error {}

/**
 * A glob on a whole name, in the syntax of the linear regular expressions: `*` and `?` cross slashes, `[a-z]` and `[!a]`, `{a,b}`
 * also one in another, `\` before what means itself. Throws a `MatcherFault`.
 */
export function globToPattern(glob: string): string {
  const characters = [...glob];
  let depth = 0;
  let source = "";
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "[") {
      const end = endOfClass(characters, at);
      source += classSource(characters.slice(at + 1, end));
      at = end;
    } else if (character === "\\") {
      const next = characters[++at];
      if (next === undefined) throw new MatcherFault("it ends with a `\\`");
      source += escapeText(next);
    } else {
      depth += character === "{" ? 1 : character === "}" ? -1 : 0;
      if (depth < 0) throw new MatcherFault("a `}` has no `{`");
      source += pieceOf(character, depth > 0);
    }
  }
  if (depth > 0) throw new MatcherFault("a `{` is not closed");
  return `\\A(?:${source})\\z`;
}

function pieceOf(character: string, isInBraces: boolean): string {
  if (character === "*") return "(?s:.)*";
  if (character === "?") return "(?s:.)";
  if (character === "{") return "(?:";
  if (character === "}") return ")";
  return character === "," && isInBraces ? "|" : escapeText(character);
}

/** A `]` that comes first belongs to the class. */
function endOfClass(characters: readonly string[], start: number): number {
  const first = characters[start + 1];
  const from = start + (first === "!" || first === "^" ? 3 : 2);
  const end = characters.indexOf("]", from);
  if (end === -1) throw new MatcherFault("a `[` is not closed");
  return end;
}

function classSource(inside: readonly string[]): string {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const members = isNegated ? inside.slice(1) : inside;
  let source = "";
  for (let at = 0; at < members.length; at++) {
    const first = members[at] ?? "";
    const last = members[at + 1] === "-" ? members[at + 2] : undefined;
    if (last === undefined) {
      source += escapeText(first);
      continue;
    }
    if ((first.codePointAt(0) ?? 0) > (last.codePointAt(0) ?? 0)) {
      throw new MatcherFault(`the range \`${first}-${last}\` is upside down`);
    }
    source += `${escapeText(first)}-${escapeText(last)}`;
    at += 2;
  }
  return `[${isNegated ? "^" : ""}${source}]`;
}

function escapeText(character: string): string {
  return /^[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/u.test(character) ? `\\${character}` : character;
}
