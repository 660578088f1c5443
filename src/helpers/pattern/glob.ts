import { compileTree } from "./linear-pattern.ts";
import { between, type CharacterTest, MOST_NESTING, not, PatternFault, type PatternNode, Reader } from "./syntax.ts";

/** How a hook system reads its globs. */
export interface GlobDialect {
  /** Whether `*`, `?` and `[…]` stop at a slash. */
  stopsAtSlash: boolean;
  /**
   * What several stars mean: the same as one; any characters, slashes included; or, for two of them, whole parts of a
   * path.
   */
  stars: "as-one" | "across-slashes" | "whole-parts";
  /** The characters that negate a class. */
  negations: readonly string[];
  /**
   * Whether `{a,b}` lists alternatives and `\` escapes the next character. Otherwise these characters mean themselves.
   */
  hasBraces: boolean;
}

/**
 * Returns a case-sensitive test of whole texts. Throws a `PatternFault` for an invalid glob of the dialect. The cost
 * grows with the length of the glob times the length of the text; a text that would cost too much counts as a match.
 */
export function compileGlob(glob: string, dialect: GlobDialect): (text: string) => boolean {
  const reader = new Reader(glob);
  const parts = [TEXT_START, readBranch(reader, dialect, 0), TEXT_END];
  const search = compileTree({ kind: "sequence", parts });
  return (text) => search(text) !== false;
}

const TEXT_START: PatternNode = { kind: "assertion", what: "text-start" };
const TEXT_END: PatternNode = { kind: "assertion", what: "text-end" };
const SLASH = 0x2f;

/** Reads up to the end or, inside braces, up to the `,` or `}` that ends the branch. */
function readBranch(reader: Reader, dialect: GlobDialect, depth: number): PatternNode {
  const parts: PatternNode[] = [];
  let before = "";
  while (!reader.isDone()) {
    const character = reader.peek();
    if (dialect.hasBraces && depth > 0 && (character === "," || character === "}")) break;
    reader.next();
    if (character === "*") parts.push(readStars(reader, dialect, before));
    else if (character === "?") parts.push(among(() => true, dialect));
    else if (character === "[") parts.push(among(readClass(reader, dialect), dialect));
    else if (dialect.hasBraces && character === "{") parts.push(readBraces(reader, dialect, depth + 1));
    else if (dialect.hasBraces && character === "}") throw new PatternFault("a `}` has no `{`");
    else parts.push(literal(dialect.hasBraces && character === "\\" ? escaped(reader) : character));
    before = character;
  }
  return { kind: "sequence", parts };
}

function readBraces(reader: Reader, dialect: GlobDialect, depth: number): PatternNode {
  if (depth > MOST_NESTING) throw new PatternFault(`braces are nested more than ${MOST_NESTING} deep`);
  const parts: PatternNode[] = [];
  do parts.push(readBranch(reader, dialect, depth));
  while (reader.take(","));
  if (!reader.take("}")) throw new PatternFault("a `{` is not closed");
  return { kind: "choice", parts };
}

/** One star has been read already. Two that mean whole parts of a path include the slash after them. */
function readStars(reader: Reader, dialect: GlobDialect, before: string): PatternNode {
  let count = 1;
  while (reader.take("*")) count++;
  if (dialect.stars === "whole-parts" && count > 1) {
    if (count > 2) throw new PatternFault(`${"*".repeat(count)} isn't a wildcard: there are * and **`);
    const isWhole = (before === "" || before === "/") && (reader.isDone() || reader.take("/"));
    if (!isWhole) throw new PatternFault("** must be a whole part between two slashes; write *");
  }
  const crossesSlashes = dialect.stars === "across-slashes" && count > 1;
  const part = crossesSlashes ? character(() => true) : among(() => true, dialect);
  return { kind: "repeat", part, least: 0, most: Number.POSITIVE_INFINITY };
}

/** A `]` in first place is one of the characters. */
function readClass(reader: Reader, { negations }: GlobDialect): CharacterTest {
  const isNegated = negations.some((sign) => reader.take(sign));
  const tests: CharacterTest[] = [];
  while (tests.length === 0 || !reader.take("]")) {
    const first = nextOfClass(reader);
    const isRange = reader.takeMatch(/-(?!\])/uy) !== undefined;
    const last = isRange ? nextOfClass(reader) : first;
    if (last < first) {
      const [from, to] = [first, last].map((point) => String.fromCodePoint(point));
      throw new PatternFault(`the range \`${from}-${to}\` is upside down`);
    }
    tests.push(between(first, last));
  }
  const any: CharacterTest = (point) => tests.some((test) => test(point));
  return isNegated ? not(any) : any;
}

function nextOfClass(reader: Reader): number {
  if (reader.isDone()) throw new PatternFault("a `[` is not closed");
  return reader.next().codePointAt(0) ?? 0;
}

function escaped(reader: Reader): string {
  if (reader.isDone()) throw new PatternFault("it ends with a `\\`, and the character behind it is missing");
  return reader.next();
}

function literal(text: string): PatternNode {
  const point = text.codePointAt(0);
  return character((other) => other === point);
}

function among(test: CharacterTest, { stopsAtSlash }: GlobDialect): PatternNode {
  return character(stopsAtSlash ? (point) => point !== SLASH && test(point) : test);
}

function character(test: CharacterTest): PatternNode {
  return { kind: "character", test };
}
