import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { clean, cleanLines, plural, shellQuote } from "../../src/kernel/text.ts";

test.each([
  ["a\u001b[31mred", "a\\u{1b}[31mred"],
  ["one\ntwo", "one\\u{a}two"],
  ["tab\there", "tab\\u{9}here"],
  ["\u202egnp.exe", "\\u{202e}gnp.exe"],
  ["zero\u200bwidth", "zero\\u{200b}width"],
  ["\u009b31m", "\\u{9b}31m"],
  ["tag\u{e0041}", "tag\\u{e0041}"],
  ["music\u{1d173}", "music\\u{1d173}"],
  ["private \ue000", "private \\u{e000}"],
  ["half \ud800", "half \\u{d800}"],
  ["soft\u00adhyphen", "soft\\u{ad}hyphen"],
  ["line\u2028end", "line\\u{2028}end"],
  ["p\u0430ypal", "p\\u{430}ypal"],
  ["Gu\u0391rd", "Gu\\u{391}rd"],
  ["by \u0420\u043e\u0440\u0430", "by \\u{420}\\u{43e}\\u{440}\\u{430}"],
  ["\uff22\uff41sh", "\\u{ff22}\\u{ff41}sh"],
  ["\u{1d401}ash", "\\u{1d401}ash"],
  ["g\u0585od", "g\\u{585}od"],
  ["plain text, ünï → 漢字 🙂", "plain text, ünï → 漢字 🙂"],
  ["Запрещает rm -rf и sudo в Bash: хор", "Запрещает rm -rf и sudo в Bash: хор"],
  [
    "Bashツールを禁止, 도구rm, 禁止Bash, α and ω, nº 1, 5 µs, né",
    "Bashツールを禁止, 도구rm, 禁止Bash, α and ω, nº 1, 5 µs, né",
  ],
  ["ε-closure, λόγος, שלום, สวัสดี", "ε-closure, λόγος, שלום, สวัสดี"],
])("%j is shown as %j", (text, shown) => {
  expect(clean(text)).toBe(shown);
});

test("whatever the text, what is shown is one line without anything that acts on a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const shown = clean(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(clean(shown)).toBe(shown);
    }),
  );
});

test("long text is cut, and says so", () => {
  expect(clean("x".repeat(600))).toBe(`${"x".repeat(499)}…`);
  expect(clean("x".repeat(9), 5)).toBe("xxxx…");
});

test("a character is not cut in half", () => {
  expect(clean("🙂".repeat(9), 4)).toBe("🙂…");
});

test("lines stay lines, each cleaned, and too many are counted", () => {
  expect(cleanLines("a\r\nb\u0007\n\tc")).toEqual(["a", "b\\u{7}", "  c"]);
  expect(cleanLines("1\n2\n3\n4", 2)).toEqual(["1", "2", "… 2 more lines"]);
});

test("one thing has a name, and several have another", () => {
  expect([plural(0, "hook"), plural(1, "hook"), plural(2, "policy", "policies")]).toEqual([
    "0 hooks",
    "1 hook",
    "2 policies",
  ]);
});

test("a shell reads a quoted argument as it was", () => {
  const argument = fc.string({ maxLength: 40 }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(argument, (text) => {
      const said = execFileSync("/bin/sh", ["-c", `printf '%s' ${shellQuote(text)}`], { encoding: "utf8" });
      expect(said).toBe(text);
    }),
    { numRuns: 30, examples: [["~"], ["'"], ["$(id)"], [""], ["a b"], ["-n"], ["\n"], ["`id`"]] },
  );
});
