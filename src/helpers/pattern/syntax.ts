import { type CharacterTest, inAnyCase, not, PatternFault } from "./characters.ts";
import { readClass } from "./read-class.ts";
import { type Assertion, readEscape } from "./read-escape.ts";
import { Reader } from "./reader.ts";

/** A regular expression as a tree. */
export type PatternNode =
  | { kind: "character"; test: CharacterTest }
  | { kind: "assertion"; what: Assertion }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "choice"; parts: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; least: number; most: number };

interface Flags {
  anyCase: boolean;
  lines: boolean;
  dotAll: boolean;
  verbose: boolean;
}

export const MOST_NESTING = 100;
const NO_FLAGS: Flags = { anyCase: false, lines: false, dotAll: false, verbose: false };

/**
 * Reads the syntax of Rust's `regex`: like JavaScript's, but without look-around and references to groups, so that the
 * search time can be bounded. Throws a `PatternFault` for everything else.
 */
export function readPattern(source: string): PatternNode {
  const reader = new Reader(source);
  const node = readChoice(reader, { ...NO_FLAGS }, 0);
  if (!reader.isDone()) throw new PatternFault("a ) closes nothing");
  return node;
}

/** Reads up to the end or a `)`. Flags that are set inside hold until there. */
function readChoice(reader: Reader, flags: Flags, depth: number): PatternNode {
  if (depth > MOST_NESTING) throw new PatternFault(`groups are nested more than ${MOST_NESTING} deep`);
  const choices: PatternNode[] = [];
  let parts: PatternNode[] = [];
  while (!reader.isDone() && reader.peek() !== ")") {
    if (reader.take("|")) {
      choices.push({ kind: "sequence", parts });
      parts = [];
    } else if (!(flags.verbose && skipVerbose(reader))) readPart(reader, { flags, depth, parts });
  }
  choices.push({ kind: "sequence", parts });
  return choices.length === 1 && choices[0] !== undefined ? choices[0] : { kind: "choice", parts: choices };
}

function skipVerbose(reader: Reader): boolean {
  if (/^\s$/u.test(reader.peek())) {
    reader.next();
    return true;
  }
  if (reader.peek() !== "#") return false;
  while (!reader.isDone() && reader.next() !== "\n");
  return true;
}

function readPart(
  reader: Reader,
  { flags, depth, parts }: { flags: Flags; depth: number; parts: PatternNode[] },
): void {
  const bounds = readBounds(reader);
  if (bounds !== undefined) {
    const part = parts.pop();
    if (part === undefined) throw new PatternFault("a repetition repeats nothing");
    parts.push({ kind: "repeat", part, ...bounds });
    return;
  }
  if (reader.peek() === "(") {
    const group = readGroup(reader, flags, depth);
    if (group !== undefined) parts.push(group);
    return;
  }
  parts.push(readAtom(reader, flags));
}

const MOST_REPEATS = 1_000;

function readBounds(reader: Reader): { least: number; most: number } | undefined {
  const bounds = readMarkedBounds(reader);
  // Laziness doesn't change whether there is a match.
  if (bounds !== undefined) reader.take("?");
  return bounds;
}

function readMarkedBounds(reader: Reader): { least: number; most: number } | undefined {
  if (reader.take("*")) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (reader.take("+")) return { least: 1, most: Number.POSITIVE_INFINITY };
  if (reader.take("?")) return { least: 0, most: 1 };
  if (reader.peek() !== "{") return undefined;
  const found = reader.takeMatch(/\{\s*(\d+)\s*(,?)\s*(\d*)\s*\}/uy);
  if (found === undefined) throw new PatternFault("a { isn't a repetition; the character itself is \\{");
  const [, first = "", comma = "", second = ""] = found;
  const least = Number(first);
  const most = comma === "" ? least : second === "" ? Number.POSITIVE_INFINITY : Number(second);
  const isWrong = most < least || (comma === "" && second !== "");
  if (isWrong) throw new PatternFault(`the repetition ${found[0]} is none`);
  if (least > MOST_REPEATS || (most > MOST_REPEATS && most !== Number.POSITIVE_INFINITY)) {
    throw new PatternFault(`a repetition of more than ${MOST_REPEATS} times`);
  }
  return { least, most };
}

/** Undefined: the group only sets flags for what follows. */
function readGroup(reader: Reader, flags: Flags, depth: number): PatternNode | undefined {
  reader.next();
  const inner = { ...flags };
  if (reader.takeMatch(/\?(?:=|!|<=|<!)/uy) !== undefined) throw new PatternFault("look-around is not supported");
  if (reader.takeMatch(/\?P?<[A-Za-z_][\w.[\]]*>/uy) === undefined && reader.take("?")) {
    const set = reader.takeMatch(/([imsUuxR]*)(?:-([imsUuxR]+))?([:)])/uy);
    if (set === undefined) throw new PatternFault("a group opens with flags that there are not");
    setFlags(inner, set[1] ?? "", true);
    setFlags(inner, set[2] ?? "", false);
    if (set[3] === ")") {
      Object.assign(flags, inner);
      return undefined;
    }
  }
  const node = readChoice(reader, inner, depth + 1);
  if (!reader.take(")")) throw new PatternFault("a ( is not closed");
  return node;
}

function setFlags(flags: Flags, letters: string, value: boolean): void {
  if (letters.includes("i")) flags.anyCase = value;
  if (letters.includes("m")) flags.lines = value;
  if (letters.includes("s")) flags.dotAll = value;
  if (letters.includes("x")) flags.verbose = value;
}

const NEWLINE = 10;

function readAtom(reader: Reader, { anyCase, lines, dotAll }: Flags): PatternNode {
  const fold = (test: CharacterTest): PatternNode => ({ kind: "character", test: anyCase ? inAnyCase(test) : test });
  const character = reader.peek();
  if (character === "[") return fold(readClass(reader));
  if (character === "\\") {
    const escaped = readEscape(reader);
    return typeof escaped === "string" ? { kind: "assertion", what: escaped } : fold(escaped.test);
  }
  reader.next();
  if (character === "^") return { kind: "assertion", what: lines ? "line-start" : "text-start" };
  if (character === "$") return { kind: "assertion", what: lines ? "line-end" : "text-end" };
  if (character === ".") return { kind: "character", test: dotAll ? () => true : not((point) => point === NEWLINE) };
  const point = character.codePointAt(0);
  return fold((other) => other === point);
}
