import { between, type CharacterTest, not, PatternFault, posixClass } from "./characters.ts";
import { readEscape } from "./read-escape.ts";
import type { Reader } from "./reader.ts";

/** Reads `[…]`, including classes inside classes. */
export function readClass(reader: Reader): CharacterTest {
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
