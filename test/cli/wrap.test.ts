import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeStyle } from "../../src/cli/terminal/style.ts";
import { shortenDigests, wrapLine } from "../../src/cli/terminal/wrap.ts";

const REVIEW = "  consent for   ^1.0.0: a later version in this range with the same key joins by itself";

test.each<[number, string[]]>([
  [120, [REVIEW]],
  [60, ["  consent for   ^1.0.0: a later version in this range with", "                the same key joins by itself"]],
  [
    44,
    [
      "  consent for   ^1.0.0: a later version in",
      "                this range with the same key",
      "                joins by itself",
    ],
  ],
])("a line of a review hangs below its text in %i columns", (columns, lines) => {
  expect(wrapLine(REVIEW, columns)).toEqual(lines);
});

test("lines are broken between words only, keep every word in order, and fit if a word does", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,20}$/u), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 60, max: 200 }), fc.boolean(), (all, columns, isColourful) => {
      const line = makeStyle(isColourful).warn(`  note        ${all.join(" ")}`);
      const lines = wrapLine(line, columns);
      const plain = lines.map(stripVTControlCharacters);
      expect(plain.join(" ").split(/\s+/u).filter(Boolean)).toEqual(["note", ...all]);
      expect(Math.max(...plain.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a path that is longer than a line stays whole", () => {
  const path = `/${"folder/".repeat(20)}file`;
  expect(wrapLine(`  from          ${path} of a friend`, 60)).toEqual([
    `  from          ${path}`,
    "                of a friend",
  ]);
});

test("digests are as long as it takes to tell them apart", () => {
  const digest = `drwn1-sha512-${"aB3_".repeat(21)}`;
  expect(shortenDigests(`  contents      ${digest}`)).toBe("  contents      drwn1-sha512-aB3_aB3_aB3_aB3_…");
});
