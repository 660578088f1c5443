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

/** Reads a text character by character. */
export class Reader {
  protected readonly text: string;
  protected at = 0;

  constructor(text: string) {
    this.text = text;
  }

  isDone(): boolean {
    return this.at >= this.text.length;
  }

  /** The next character; "" at the end. */
  peek(): string {
    const point = this.text.codePointAt(this.at);
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  next(): string {
    const character = this.peek();
    this.at += character.length;
    return character;
  }

  /** Whether this text comes next. */
  is(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Skips this text if it comes next. */
  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Skips what a sticky expression matches here. */
  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text);
    if (found === null) return undefined;
    this.at += found[0].length;
    return found;
  }
}

/** Reads `[…]`, including classes inside classes. */
function readClass(reader: Reader): CharacterTest {
  reader.next();
  const isNegated = reader.take("^");
  const tests: CharacterTest[] = [];
  // A `]` in first place is one of the characters.
  if (reader.take("]")) tests.push(between(0x5d, 0x5d));
  while (!reader.take("]")) {
    if (reader.isDone()) throw new PatternFault("a [ is not closed");
    if (["&&", "--", "~~"].some((operator) => reader.take(operator))) {
      throw new PatternFault("an operation between two classes is not supported");
    }
    tests.push(readMember(reader));
  }
  const any: CharacterTest = (point) => tests.some((test) => test(point));
  return isNegated ? not(any) : any;
}

function readMember(reader: Reader): CharacterTest {
  const posix = reader.takeMatch(/\[:(\^?)(\w+):\]/uy);
  if (posix !== undefined) {
    const test = posixClass(posix[2] ?? "");
    return posix[1] === "^" ? not(test) : test;
  }
  if (reader.peek() === "[") return readClass(reader);
  const first = readOne(reader);
  if (first.point === undefined || reader.takeMatch(/-(?![\]-])/uy) === undefined) return first.test;
  const last = readOne(reader);
  if (last.point === undefined || last.point < first.point) throw new PatternFault("the range of a class is none");
  return between(first.point, last.point);
}

function readOne(reader: Reader): { test: CharacterTest; point?: number } {
  if (reader.peek() !== "\\") {
    const point = reader.next().codePointAt(0) ?? 0;
    return { point, test: (other) => other === point };
  }
  const escaped = readEscape(reader);
  if (typeof escaped === "string") throw new PatternFault("a class holds characters, and no places between them");
  return escaped;
}

/** A place between characters. */
export type Assertion = "line-start" | "line-end" | "text-start" | "text-end" | "word" | "no-word";

/** One or several characters; `point` is set if it is one. */
interface EscapeSequence {
  test: CharacterTest;
  point?: number;
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "text-start",
  z: "text-end",
  b: "word",
  B: "no-word",
};

const IS_DIGIT = unicode("^\\p{Nd}$");

const IS_SPACE = unicode("^\\p{White_Space}$");

export const IS_WORD = unicode("^[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]$");

const CLASSES: Readonly<Record<string, CharacterTest>> = {
  d: IS_DIGIT,
  D: not(IS_DIGIT),
  s: IS_SPACE,
  S: not(IS_SPACE),
  w: IS_WORD,
  W: not(IS_WORD),
};
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const HIGHEST_POINT = 0x10ffff;

/** Reads a backslash and what follows. */
function readEscape(reader: Reader): EscapeSequence | Assertion {
  reader.next();
  const name = reader.takeMatch(/[pP](?:\{([^}]+)\}|([A-Za-z]))/uy);
  if (name !== undefined) return readProperty(name);
  const code = reader.takeMatch(/[xuU]\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/uy);
  if (code !== undefined) return single(Number.parseInt(code.slice(1).find((part) => part !== undefined) ?? "0", 16));
  const letter = reader.next();
  const assertion = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined;
  if (assertion !== undefined) return assertion;
  const test = Object.hasOwn(CLASSES, letter) ? CLASSES[letter] : undefined;
  if (test !== undefined) return { test };
  const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined;
  if (control !== undefined) return single(control);
  if (/^[1-9]$/u.test(letter)) throw new PatternFault("references to groups are not supported");
  if (letter === "<" || letter === ">")
    throw new PatternFault(`\\${letter} is the edge of a word, which is not supported`);
  if (letter === "" || !/^[ !-/:-@[-`{-~]$/u.test(letter)) throw new PatternFault(`there is no escape \\${letter}`);
  return single(letter.codePointAt(0) ?? 0);
}

function readProperty([text, long, short = ""]: RegExpExecArray): EscapeSequence {
  const isNegated = text.startsWith("P") !== (long?.startsWith("^") ?? false);
  const test = unicodeClass((long ?? short).replace(/^\^/u, ""));
  return { test: isNegated ? not(test) : test };
}

function single(point: number): EscapeSequence {
  if (point > HIGHEST_POINT) throw new PatternFault("an escape names no character");
  return { point, test: (other) => other === point };
}

/** Whether the character with this code point is in the set. */
export type CharacterTest = (point: number) => boolean;

/** A pattern is refused; the message says what is wrong with it. */
export class PatternFault extends Error {
  override readonly name = "PatternFault";
}

/** The meaning of `[:name:]` inside a class: ASCII only. */
const POSIX = (): Readonly<Record<string, RegExp>> => ({
  alnum: /^[0-9A-Za-z]$/u,
  alpha: /^[A-Za-z]$/u,
  ascii: /^[\u{0}-\u{7f}]$/u,
  blank: /^[\t ]$/u,
  cntrl: /^[\u{0}-\u{1f}\u{7f}]$/u,
  digit: /^[0-9]$/u,
  graph: /^[!-~]$/u,
  lower: /^[a-z]$/u,
  print: /^[ -~]$/u,
  punct: /^[!-/:-@[-`{-~]$/u,
  space: /^[\t\n\v\f\r ]$/u,
  upper: /^[A-Z]$/u,
  word: /^[0-9A-Za-z_]$/u,
  xdigit: /^[0-9A-Fa-f]$/u,
});

function posixClass(name: string): CharacterTest {
  const classes = POSIX();
  const pattern = Object.hasOwn(classes, name) ? classes[name] : undefined;
  if (pattern === undefined) throw new PatternFault(`there is no class [:${name}:]`);
  return property(pattern);
}

/** `\p{name}`: a general category or a script. */
function unicodeClass(name: string): CharacterTest {
  const plain = name.replace(/^(?:sc|script|gc|general_category)=/iu, "");
  for (const form of [plain, `Script=${plain}`]) {
    const pattern = tryRegExp(`^\\p{${form}}$`);
    if (pattern !== undefined) return property(pattern);
  }
  throw new PatternFault(`there is no class \\p{${name}}`);
}

export function not(test: CharacterTest): CharacterTest {
  return (point) => !test(point);
}

export function between(first: number, last: number): CharacterTest {
  return (point) => point >= first && point <= last;
}

/** The same characters in either case. */
function inAnyCase(test: CharacterTest): CharacterTest {
  return (point) => {
    if (test(point)) return true;
    const text = String.fromCodePoint(point);
    return [text.toLowerCase(), text.toUpperCase()].some((other) => isOne(other) && test(other.codePointAt(0) ?? 0));
  };
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

function property(pattern: RegExp): CharacterTest {
  return (point) => pattern.test(String.fromCodePoint(point));
}

/**
 * V8 collects a property's characters as soon as it reads a literal, so this expression is made when a pattern first
 * needs it.
 */
function unicode(source: string): CharacterTest {
  let test: CharacterTest | undefined;
  return (point) => {
    test ??= property(new RegExp(source, "u"));
    return test(point);
  };
}

function tryRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}
