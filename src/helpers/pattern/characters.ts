/** Whether the character with this code point is in the set. */
export type CharacterTest = (point: number) => boolean;

/** A pattern is refused; the message says what is wrong with it. */
export class PatternFault extends Error {
  override readonly name = "PatternFault";
}

export const IS_DIGIT = unicode("^\\p{Nd}$");
export const IS_SPACE = unicode("^\\p{White_Space}$");
export const IS_WORD = unicode("^[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]$");

/** The meaning of `[:name:]` inside a class: ASCII only. */
const POSIX: Readonly<Record<string, RegExp>> = {
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
};

export function posixClass(name: string): CharacterTest {
  const pattern = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  if (pattern === undefined) throw new PatternFault(`there is no class [:${name}:]`);
  return property(pattern);
}

/** `\p{name}`: a general category or a script. */
export function unicodeClass(name: string): CharacterTest {
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
export function inAnyCase(test: CharacterTest): CharacterTest {
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
