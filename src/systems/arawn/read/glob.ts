/** Why a glob is refused. */
export class ArawnGlobFault extends Error {
  override readonly name = "GlobFault";
}

type Token = { kind: "any" } | { kind: "one"; accepts: (character: string) => boolean };

/**
 * The globs of Arawn: `*`, `?`, `[abc]`, `[a-z]` and `[!a]` on the whole text, case-sensitive. There are no `{a,b}` and no `|`:
 * these characters mean themselves. Throws a `GlobFault` for anything else.
 */
export function compileArawnGlob(glob: string): (text: string) => boolean {
  const tokens = readTokens([...glob]);
  return (text) => matches(tokens, [...text]);
}

function readTokens(characters: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? "";
    if (character === "*") {
      const end = endOfStars(characters, at);
      tokens.push({ kind: "any" });
      at = end;
    } else if (character === "[") {
      const close = closeOf(characters, at);
      tokens.push({ kind: "one", accepts: readSet(characters.slice(at + 1, close)) });
      at = close + 1;
    } else {
      tokens.push({ kind: "one", accepts: character === "?" ? () => true : (other) => other === character });
      at++;
    }
  }
  return tokens;
}

/** Two stars stand for whole parts of a path; three are nothing. */
function endOfStars(characters: readonly string[], start: number): number {
  let end = start;
  while (characters[end] === "*") end++;
  const count = end - start;
  if (count > 2) throw new ArawnGlobFault(`${"*".repeat(count)} isn't a wildcard: there are * and **`);
  const isWhole = (at: number) => characters[at] === undefined || characters[at] === "/";
  if (count === 2 && !(isWhole(start - 1) && isWhole(end))) {
    throw new ArawnGlobFault("** must be a whole part between two slashes; write *");
  }
  return count === 2 && characters[end] === "/" ? end + 1 : end;
}

/** Behind `[` or `[!` a `]` is one that is meant. */
function closeOf(characters: readonly string[], open: number): number {
  const first = open + (characters[open + 1] === "!" ? 2 : 1);
  const close = characters.indexOf("]", first + 1);
  if (close < 0) throw new ArawnGlobFault("a [ is not closed");
  return close;
}

function readSet(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === "!";
  const listed = isNegated ? members.slice(1) : members;
  const tests: ((character: string) => boolean)[] = [];
  for (let at = 0; at < listed.length; ) {
    const first = listed[at] ?? "";
    const last = listed[at + 1] === "-" ? listed[at + 2] : undefined;
    if (last !== undefined && last < first) throw new ArawnGlobFault(`the range ${first}-${last} is empty`);
    tests.push((character) => character >= first && character <= (last ?? first));
    at += last === undefined ? 1 : 3;
  }
  return (character) => tests.some((test) => test(character)) !== isNegated;
}

/** Goes back to the last star only: the time is bounded by both lengths together. */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const next = tokens[token];
    if (next?.kind === "one" && next.accepts(text[at] ?? "")) {
      token++;
      at++;
    } else if (next?.kind === "any") {
      star = token++;
      resume = at;
    } else if (star >= 0) {
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === "any");
}
