import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

/** Bytes of a whole matcher, runs of `*` in one alternative, and alternatives after expanding braces. */
const MATCHER_LIMITS = { bytes: 128, stars: 4, alternatives: 64 } as const;

/** The characters of tool names, and those of a glob. Anything else would be syntax of another pattern language. */
const ALLOWED = /^[\p{L}\p{N}_.:/@ *?{},|-]$/u;

/** In front of all alternatives, it means every name except those that they match. */
const BUT = "!";

/**
 * The source of an anchored, case-sensitive regular expression on a whole tool name. Its cost is linear in the length
 * of the name: see `withoutBacktracking`. Refuses anything that isn't a plain glob.
 */
export function compileMatcher(glob: string): string {
  let group = 0;
  const sources = parseAlternatives(glob).map((alternative) => {
    // Tool names aren't paths, so both wildcards match dots, slashes and line breaks. Of the allowed characters only the
    // dot means something in a regular expression.
    const pieces = alternative.replaceAll(".", "\\.").replaceAll("?", "[^]").split("*");
    return withoutBacktracking(pieces, () => ++group);
  });
  const whole = `(?:${sources.join("|")})$`;
  return glob.startsWith(BUT) ? `^(?!${whole})` : `^${whole}`;
}

/** The alternatives of the glob, in its order and once each; the whole glob if it begins with `!`. */
function alternativesOf(glob: string): string[] {
  const alternatives = parseAlternatives(glob);
  return glob.startsWith(BUT) ? [glob] : [...new Set(alternatives)];
}

/** The exact tool names, sorted and once each; null if the glob has a wildcard or begins with `!`. */
export function literalTools(glob: string): string[] | null {
  const alternatives = parseAlternatives(glob);
  return glob.startsWith(BUT) || alternatives.some((alternative) => /[*?]/u.test(alternative))
    ? null
    : [...new Set(alternatives)].sort();
}

/**
 * Joins the pieces between stars. A piece has a fixed length, so if any match exists, one exists with the piece at its
 * leftmost place: there is no need to try others. In JavaScript, a look-ahead with a back-reference makes a group that
 * never backtracks.
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

/** The glob with `|` and `{}` expanded and each run of stars as one star. Refuses every fault of a glob. */
function parseAlternatives(glob: string): string[] {
  const bytes = Buffer.byteLength(glob);
  if (bytes > MATCHER_LIMITS.bytes) {
    throw refusal(glob, `it has ${bytes} bytes, but only ${MATCHER_LIMITS.bytes} are allowed`);
  }
  const named = glob.startsWith(BUT) ? glob.slice(BUT.length) : glob;
  for (const character of named) {
    if (ALLOWED.test(character)) continue;
    throw refusal(glob, `\`${clean(character)}\` has no meaning in a matcher`);
  }
  const alternatives = splitTopLevel(named).flatMap((part) => expandBraces(glob, part));
  if (alternatives.length > MATCHER_LIMITS.alternatives) {
    throw refusal(
      glob,
      `it has ${alternatives.length} alternatives, but only ${MATCHER_LIMITS.alternatives} are allowed`,
    );
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
    // Checked before expanding: forty braces would not fit into memory.
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
  const stars = alternative.split("*").length - 1;
  if (stars > MATCHER_LIMITS.stars) {
    throw refusal(glob, `an alternative has ${stars} runs of \`*\`, but only ${MATCHER_LIMITS.stars} are allowed`);
  }
  return alternative;
}

function refusal(glob: string, why: string): Problem {
  return new Problem("DRWN_MATCHER_INVALID", `the matcher \`${clean(glob, 160)}\` is refused: ${why}`, {
    hint: "write a glob on the whole tool name: Bash, mcp__*, {Write,Edit}, Write|Edit, !Read|Grep",
  });
}

/**
 * Whether a matcher takes every tool that another takes; null for a matcher: every tool. The answer is null where nobody
 * can tell. `false` is proven by a name that one takes and the other doesn't.
 */
export function takesAllOf(matcher: string | null, other: string | null): boolean | null {
  if (matcher === null || matcher === other) return true;
  if (witnessesOf(other).some((name) => isTaken(other, name) && !isTaken(matcher, name))) return false;
  if (other === null) return alternativesOf(matcher).includes("*") || null;
  const [isBut, isOtherBut] = [matcher.startsWith("!"), other.startsWith("!")];
  if (isBut && isOtherBut) return takesAllOf(other.slice(1), matcher.slice(1)) === true ? true : null;
  const own = alternativesOf(matcher);
  if (own.includes("*")) return true;
  if (isOtherBut) return null;
  const others = alternativesOf(other);
  if (isBut) return others.every((name) => !/[*?]/u.test(name)) ? true : null;
  return others.every((glob) => own.some((wider) => includes([...wider], [...glob]))) ? true : null;
}

/** Whether a glob takes all that the other takes. It may miss an inclusion, but claims none that isn't there. */
function includes([first, ...rest]: readonly string[], other: readonly string[]): boolean {
  const [next, ...others] = other;
  if (first === "*") return includes(rest, other) || (next !== undefined && includes([first, ...rest], others));
  if (first === undefined || next === undefined) return first === next;
  return next !== "*" && (first === "?" || first === next) && includes(rest, others);
}

/** Names as no matcher foresees them, to fill the gaps of a glob. */
const FILLINGS = ["", "x", "Zq9", "__other__tool"];

function witnessesOf(matcher: string | null): string[] {
  if (matcher === null || matcher.startsWith("!")) return FILLINGS.slice(1);
  return alternativesOf(matcher).flatMap((glob) =>
    FILLINGS.map((filling) => glob.replaceAll(/\*+/gu, filling).replaceAll("?", "Q")),
  );
}

/** Whether the matcher, null for every tool, takes this name. */
export function isTaken(matcher: string | null, name: string): boolean {
  return matcher === null || new RegExp(compileMatcher(matcher), "u").test(name);
}
