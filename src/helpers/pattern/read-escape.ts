import { type CharacterTest, IS_DIGIT, IS_SPACE, IS_WORD, not, PatternFault, unicodeClass } from "./characters.ts";
import type { Reader } from "./reader.ts";

/** A place between characters. */
export type Assertion = "line-start" | "line-end" | "text-start" | "text-end" | "word" | "no-word";

/** One or several characters; `point` is set if it is one. */
export interface EscapeSequence {
  test: CharacterTest;
  point?: number;
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "text-start",
  z: "text-end",
  b: "word",
  B: "no-word",
};
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
export function readEscape(reader: Reader): EscapeSequence | Assertion {
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
