import { spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderTable } from "../../../src/cli/render/table.ts";
import { makeStyle, shortenDigests, widthOf, wrapLine } from "../../../src/cli/terminal/style.ts";

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
  const words = fc.array(fc.stringMatching(/^[a-z\u3042-\u3090]{1,12}$/u), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 60, max: 200 }), fc.boolean(), (all, columns, isColourful) => {
      const line = makeStyle(isColourful).warn(`  note        ${all.join(" ")}`);
      const lines = wrapLine(line, columns);
      const plain = lines.map(stripVTControlCharacters);
      expect(plain.join(" ").split(/\s+/u).filter(Boolean)).toEqual(["note", ...all]);
      expect(Math.max(...plain.map(widthOf))).toBeLessThanOrEqual(columns);
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

test.each<[string, string[]]>([
  [
    "    signature   ed25519:O_UoOAvKuwJjTrTm8BetUgKHE1TpJpjInFfwQVU_R24 signed it",
    ["    signature", "      ed25519:O_UoOAvKuwJjTrTm8BetUgKHE1TpJpjInFfwQVU_R24", "                signed it"],
  ],
  [
    "NOT GUARDED by @a-long-scope-of-a-company/policies-for-production@1.0.0#guard-databases",
    ["NOT GUARDED by @a-long-scope-of-a-company/", "  policies-for-production@1.0.0#guard-databases"],
  ],
  ["  says 本番データベースの削除は人間だけができますので、注意してください。".repeat(2), []],
])("what has no room below the text goes to the left of it, or on in the next line: %s", (line, is) => {
  const lines = wrapLine(line, 60);
  if (is.length > 0) expect(lines).toEqual(is);
  expect(lines.map(widthOf).every((width) => width <= 60)).toBe(true);
  expect(lines.join("").replaceAll(/\s/gu, "")).toBe(line.replaceAll(/\s/gu, ""));
});

const HEADINGS = ["card", "version", "asked for", "says of itself"];

test.each<[number, string[]]>([
  [
    80,
    [
      "card                          version  asked for  says of itself",
      "@a-company/production-guards  1.0.0    ^1.0.0     keeps an agent from what",
      "                                                  nobody can bring back",
    ],
  ],
  [
    60,
    [
      "card",
      "  version  asked for  says of itself",
      "@a-company/production-guards",
      "  1.0.0    ^1.0.0     keeps an agent from what nobody can",
      "                      bring back",
    ],
  ],
  [
    40,
    [
      "@a-company/production-guards",
      "  version         1.0.0",
      "  asked for       ^1.0.0",
      "  says of itself  keeps an agent from",
      "    what nobody can bring back",
    ],
  ],
])("a table has the form that %i columns have room for", (columns, is) => {
  const row = ["@a-company/production-guards", "1.0.0", "^1.0.0", "keeps an agent from what nobody can bring back"];
  expect(renderTable(HEADINGS, [row], columns)).toEqual(is);
});

test("a table loses no word in any width, and fits if its words do", () => {
  const word = fc.stringMatching(/^[a-z\u3042-\u3090]{1,20}$/u);
  const cells = fc.tuple(
    word,
    word,
    word,
    fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
  );
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 4 }), fc.integer({ min: 60, max: 200 }), (rows, columns) => {
      const lines = renderTable(HEADINGS, rows, columns);
      const found = lines.flatMap((line) => line.split(/\s+/u));
      for (const one of rows.flatMap((row) => row.join(" ").trimEnd().split(" "))) expect(found).toContain(one);
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    }),
  );
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
  const digest = `drwn1-sha512-${"aB3_".repeat(21)}cD`;
  expect(shortenDigests(`  contents      ${digest}`)).toBe("  contents      drwn1-sha512-aB3_aB3_aB3_aB3_…");
});
