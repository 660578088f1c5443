import picomatch from "picomatch";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

/** Bytes of a whole matcher, `*` runs in one alternative, and alternatives after braces are written out. */
const MATCHER_LIMITS = { bytes: 128, stars: 4, alternatives: 64 } as const;

/** Literal characters: what tool names are made of. Anything else would be syntax of another pattern language. */
const ALLOWED = /^[\p{L}\p{N}_.:/@ *?{},|-]$/u;

/** Tool names aren't paths: `*` and `?` match dots and slashes, and nothing is normalised. */
const GLOB = {
  maxLength: MATCHER_LIMITS.bytes,
  bash: true,
  dot: true,
  noextglob: true,
  nobracket: true,
  nonegate: true,
  strictSlashes: true,
  fastpaths: false,
} as const;

/** What the library writes for `*` and `?`. Neither spans line breaks, or slashes, so both are replaced. */
const LIBRARY = { star: ".*?", any: "[^/]" } as const;

/** In front of all alternatives: every name but those that they match. */
const BUT = "!";

/**
 * The source of an anchored, case-sensitive regular expression on a whole tool name. Its cost grows with the length of the
 * name and never with a power of it: see `withoutBacktracking`. Refuses whatever isn't a plain glob.
 */
export function compileMatcher(glob: string): string {
  let group = 0;
  const sources = parseAlternatives(glob).map((alternative) => {
    // Most matchers name a tool: nothing in such a name means anything to the library, which is large.
    if (/^\w+$/u.test(alternative)) return alternative;
    const pieces = picomatch.parse(alternative, GLOB).output.replaceAll(LIBRARY.any, "[^]").split(LIBRARY.star);
    return withoutBacktracking(pieces, () => ++group);
  });
  const whole = `(?:${sources.join("|")})$`;
  return glob.startsWith(BUT) ? `^(?!${whole})` : `^${whole}`;
}

/** What the glob names one by one, in its order and once each; itself where it names what it doesn't match. */
export function alternativesOf(glob: string): string[] {
  const alternatives = parseAlternatives(glob);
  return glob.startsWith(BUT) ? [glob] : [...new Set(alternatives)];
}

/** The exact tool names, sorted and once each, when the glob names tools and has no wildcard; else null. */
export function literalTools(glob: string): string[] | null {
  const alternatives = parseAlternatives(glob);
  return glob.startsWith(BUT) || alternatives.some((alternative) => /[*?]/u.test(alternative))
    ? null
    : [...new Set(alternatives)].sort();
}

/**
 * Joins the pieces between stars. A piece has a fixed length, so its leftmost place is always a right one and need not be
 * tried again: the look-ahead with a back-reference is how JavaScript spells a group that is never reopened.
 */
function withoutBacktracking(pieces: readonly string[], nextGroup: () => number): string {
  const first = pieces[0] ?? "";
  if (pieces.length < 2) return first;
  const middle = pieces
    .slice(1, -1)
    .map((piece) => `(?=([^]*?${piece}))\\${nextGroup()}`)
    .join("");
  return `${first}${middle}[^]*${pieces.at(-1) ?? ""}`;
}

/** The glob with `|` and `{}` written out and each run of stars as one. Refuses everything that is refused. */
function parseAlternatives(glob: string): string[] {
  const bytes = Buffer.byteLength(glob);
  if (bytes > MATCHER_LIMITS.bytes) {
    throw refusal(glob, `it has ${bytes} bytes, and ${MATCHER_LIMITS.bytes} are allowed`);
  }
  const named = glob.startsWith(BUT) ? glob.slice(BUT.length) : glob;
  for (const character of named) {
    if (ALLOWED.test(character)) continue;
    throw refusal(glob, `\`${clean(character)}\` has no meaning in a matcher`);
  }
  const alternatives = splitTopLevel(named).flatMap((part) => expandBraces(glob, part));
  if (alternatives.length > MATCHER_LIMITS.alternatives) {
    throw refusal(glob, `it has ${alternatives.length} alternatives, and ${MATCHER_LIMITS.alternatives} are allowed`);
  }
  return alternatives.map((alternative) => checkAlternative(glob, alternative));
}

function splitTopLevel(glob: string): string[] {
  let depth = 0;
  let start = 0;
  const parts: string[] = [];
  for (const [at, character] of [...glob.split("")].entries()) {
    if (character === "{" && ++depth > 1) throw refusal(glob, "braces inside braces are not allowed");
    if (character === "}" && --depth < 0) throw refusal(glob, "a `}` has no `{`");
    if (character === "," && depth === 0) throw refusal(glob, "a `,` is outside braces");
    if (character !== "|") continue;
    if (depth > 0) throw refusal(glob, "a `|` is inside braces, where alternatives are separated by `,`");
    parts.push(glob.slice(start, at));
    start = at + 1;
  }
  if (depth > 0) throw refusal(glob, "a `{` is not closed");
  return [...parts, glob.slice(start)];
}

function expandBraces(glob: string, part: string): string[] {
  let expanded = [""];
  for (const [piece] of part.matchAll(/\{[^}]*\}|[^{]+/gu)) {
    const choices = piece.startsWith("{") ? choicesOf(glob, piece.slice(1, -1)) : [piece];
    // Checked before it is multiplied: forty braces would not fit into memory.
    if (expanded.length * choices.length > MATCHER_LIMITS.alternatives) {
      throw refusal(glob, `its braces stand for more than ${MATCHER_LIMITS.alternatives} alternatives`);
    }
    expanded = expanded.flatMap((head) => choices.map((choice) => head + choice));
  }
  return expanded;
}

function choicesOf(glob: string, inside: string): string[] {
  const choices = inside.split(",");
  if (choices.length < 2) throw refusal(glob, "braces need at least two alternatives, as in `{A,B}`");
  return choices;
}

function checkAlternative(glob: string, written: string): string {
  const alternative = written.replace(/\*+/gu, "*");
  if (alternative === "") throw refusal(glob, "an alternative is empty");
  if (alternative.trim() !== alternative) throw refusal(glob, "an alternative begins or ends with a space");
  // The library takes it for a path and drops it.
  if (alternative.startsWith("./")) throw refusal(glob, "an alternative begins with `./`");
  const stars = alternative.split("*").length - 1;
  if (stars > MATCHER_LIMITS.stars) {
    throw refusal(glob, `an alternative has ${stars} runs of \`*\`, and ${MATCHER_LIMITS.stars} are allowed`);
  }
  return alternative;
}

function refusal(glob: string, why: string): Problem {
  return new Problem("DRWN_MATCHER_INVALID", `the matcher \`${clean(glob, 160)}\` is refused: ${why}`, {
    hint: "write a glob on the whole tool name: Bash, mcp__*, {Write,Edit}, Write|Edit, !Read|Grep",
  });
}
