import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileLinear } from "../../../src/helpers/pattern/linear-pattern.ts";

const FOUND: [pattern: string, text: string][] = [
  ["git commit", 'x {"command":"git commit -m a"}'],
  ["^a.c$", "abc"],
  ["(?i)DROP\\s+table", "drop \t TABLE users"],
  ["a{2,3}b", "xaab"],
  ["(?:ab|cd)+e", "abcde"],
  ["\\brm\\b", "sudo rm -rf"],
  ["[^\\d\\s]x", "1 ax"],
  ["[a-c[x-z]]!", "y!"],
  ["[[:upper:]_]+9", "A_9"],
  ["[]a]b", "]b"],
  ["[a-]", "-"],
  ["\\p{Greek}", "aβ"],
  ["\\pL\\PL", "é1"],
  ["(?x) a b # words\n c", "abc"],
  ["(?m)^b$", "a\nb\nc"],
  ["(?s)a.b", "a\nb"],
  ["(?P<name>q)\\x41\\u{42}", "qAB"],
  ["(a*)*b", "aaab"],
  ["", ""],
  ["a??b", "b"],
  ["\\{\\}", "{}"],
];

const NOT_FOUND: [pattern: string, text: string][] = [
  ["^b", "ab"],
  ["a$", "ab"],
  ["a.b", "a\nb"],
  ["\\Brm\\b", "rm"],
  ["(?-i:A)(?i)b", "aB"],
  ["a{3}", "aa"],
  ["[^a]", "a"],
  ["\\D", "٣"],
  ["(?i:x)Y", "Xy"],
];

const REFUSED: [pattern: string, why: RegExp][] = [
  ["(", /not closed/u],
  [")", /closes nothing/u],
  ["[a", /not closed/u],
  ["[b-a]", /range/u],
  ["*a", /repeats nothing/u],
  ["a{2,1}", /is none/u],
  ["a{,3}", /\{ isn't a repetition/u],
  ["a{5000}", /more than 1000/u],
  ["((a{500}){500})", /too large/u],
  ["(?=a)b", /look-around/u],
  ["(?<!a)b", /look-around/u],
  ["(a)\\1", /references/u],
  ["\\q", /no escape/u],
  ["\\<rm", /edge of a word/u],
  ["rm\\>", /edge of a word/u],
  ["[\\<]", /edge of a word/u],
  ["\\b{start}rm", /isn't a repetition/u],
  ["\\", /no escape/u],
  ["\\p{Nonsense}", /no class/u],
  ["[[:nothing:]]", /no class/u],
  ["[a&&b]", /operation/u],
  ["[\\b]", /no places/u],
  ["(?k)a", /flags/u],
  ["\\x{110000}", /names no character/u],
  ["(".repeat(200), /nested/u],
  ["a".repeat(10_001), /longer/u],
];

describe("a regular expression with a bound on its time", () => {
  test.each(FOUND)("%j is found in %j", (pattern, text) => {
    expect(compileLinear(pattern).search(text)).toBe(true);
  });

  test.each(NOT_FOUND)("%j is not found in %j", (pattern, text) => {
    expect(compileLinear(pattern).search(text)).toBe(false);
  });

  test.each(REFUSED)("%j is refused", (pattern, why) => {
    expect(() => compileLinear(pattern)).toThrow(why);
  });

  test("what takes other engines for ever ends", () => {
    const begin = process.cpuUsage();
    expect(compileLinear("(a*)*(b|a+)+$").search(`${"a".repeat(20_000)}!`)).toBe(false);
    const { user } = process.cpuUsage(begin);
    expect(user).toBeLessThan(5_000_000);
  });

  test("a search that would take too many steps is undecided", () => {
    expect(compileLinear("(?:a?){900}b").search("a".repeat(200_000))).toBe("undecided");
  });

  test("it finds what JavaScript's finds", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "(?:ab)", "(a|b)", "(?:|a)");
    const mark = fc.constantFrom("", "", "", "*", "+", "?", "{1,2}", "*?");
    const piece = fc.tuple(atom, mark).map(([one, repeat]) => (/^(?:\\b|\^|\$)$/u.test(one) ? one : one + repeat));
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
    const choice = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((choices) => choices.join("|"));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 8 });
    fc.assert(
      fc.property(choice, text, (source, where) => {
        expect(compileLinear(source).search(where)).toBe(new RegExp(source, "u").test(where));
      }),
      { numRuns: 500 },
    );
  });
});
