import { spawnSync } from "node:child_process";
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

test("a matcher that is longer than a line is broken between its alternatives, and nothing else is", () => {
  const servers = ["a", "b", "c"].map((name) => `mcp__${name.repeat(30)}__*`);
  expect(wrapLine(`    sees        Bash|${servers.join("|")}, before the call`, 60)).toEqual([
    `    sees        Bash|${servers[0]}|`,
    `                ${servers[1]}|`,
    `                ${servers[2]},`,
    "                before the call",
  ]);
});

test("a row of a table is broken between its columns", () => {
  const row = `@me/backend  1.0.0  ${"a".repeat(30)}  ${"b".repeat(30)}`;
  expect(wrapLine(row, 60)).toEqual([`@me/backend  1.0.0  ${"a".repeat(30)}`, `             ${"b".repeat(30)}`]);
});

test("a command that is to be copied means the same in several lines", () => {
  const command = `drwn card trust @me/backend --hooks --range '^1.0.0 || ^2.0.0' --expires 30d --set 'guard.paths=a b  c'`;
  for (const columns of [40, 60, 80]) {
    const lines = wrapLine(`Next: ${command}`, columns);
    const typed = lines.join("\n").slice("Next: ".length);
    const { stdout } = spawnSync("sh", ["-c", `drwn() { printf '%s|' "$@"; }; ${typed}; ${command}`], {
      encoding: "utf8",
    });
    const [wrapped, whole] = [stdout.slice(0, stdout.length / 2), stdout.slice(stdout.length / 2)];
    expect(wrapped).toBe(whole);
    expect(lines.length).toBeGreaterThan(1);
  }
});

test("digests are as long as it takes to tell them apart", () => {
  const digest = `drwn1-sha512-${"aB3_".repeat(21)}`;
  expect(shortenDigests(`  contents      ${digest}`)).toBe("  contents      drwn1-sha512-aB3_aB3_aB3_aB3_…");
});
