import { describe, expect, test } from "vitest";
import { compilePattern } from "../../../../src/dialects/hooker/read/pattern.ts";
import { askRuby, HAS_RUBY } from "../ruby.ts";

const PATTERNS = [
  ...[
    "push.*--force",
    "^push",
    "push$",
    "\\Agit",
    "push\\z",
    "push\\Z",
    "git\\b",
    "\\bgit",
    "\\Bgit",
    "(?i)GIT",
    "(?i:GIT) push",
  ],
  ...[
    "a|b",
    "(?:x)?git",
    "(g)(i)\\2",
    "(?<n>g)i\\k<n>",
    "(?>a+)a",
    "a++b",
    "a*+a",
    "\\h+",
    "\\H",
    "\\R",
    "\\d",
    "\\D",
    "\\s",
    "\\S",
  ],
  ...[
    "\\w+é",
    "\\W",
    "[\\w-]+\\.",
    "[^\\w]",
    "[[:alpha:]]",
    "[[:^space:]]+x",
    "[a-z&&[^g]]it",
    "\\p{Upper}",
    "\\p{L}+",
    "\\P{L}",
  ],
  ...[
    "a{,2}b",
    "a{2}",
    "a{2,}?",
    ".",
    "(?m:.)",
    "(?m)a.b",
    "(?x) g i t # x",
    "(?<=g)it",
    "(?<!g)it",
    "(?=g)..t",
    "(?!g).it",
  ],
  ...[
    "\\x41",
    "\\u00e9",
    "\\u{1F642}",
    "\\t",
    "\\n",
    "\\e",
    "\\/",
    "\\-",
    "[\\]]",
    "[]a]",
    "\\.env",
    "\\.env$",
    "rm\\s+-rf",
    "é",
  ],
  ...[
    "(",
    ")",
    "[",
    "a**",
    "+",
    "(?<n",
    "\\k<x>",
    "(?<=a+)b",
    "\\1",
    "[z-a]",
    "x{2,1}",
    "(?'n'a)\\k'n'",
    "\\Ga",
    "^$",
    "$^",
    "\\A\\z",
  ],
  ...[
    "(?#c)git",
    "\\Qa",
    "[\\d\\s]",
    "[^\\n]",
    "(?i)k",
    "\\X",
    "(?~ab)",
    "(a)?(?(1)b|c)",
    "\\cA",
    "\\C-a",
    "\\O",
    "\\N",
  ],
];
const SUBJECTS = [
  ...[
    "",
    "a",
    "b",
    "ab",
    "aab",
    "aaa",
    "git",
    "GIT",
    "git push",
    "git\npush",
    "push\n",
    "git push --force",
    "xgit",
    "gité",
    "égit",
  ],
  ...[
    "é",
    "É",
    "ß",
    "SS",
    "K",
    "🙂",
    "\r\n",
    "\n",
    "\n\n",
    "a\nb",
    "a\u2028b",
    "a\rb",
    "a b",
    "a\u00a0b",
    "A-1.x",
    "/app/.env",
    "/app/.env.local",
  ],
  ...["rm -rf /", "rm\t-rf", "]", "-", "١٢", "0", "gig", "gii", "\u0001", "ſ", "x{2,1}", "Qa", " x", "git\u0301"],
];

describe("a regular expression of Ruby's", () => {
  test.each(["(a+)+$", "git\\b", "(?>a+)b", "(?i)x"])("%s is plain data", (ruby) => {
    const compiled = compilePattern(ruby);
    expect(compiled).toEqual(JSON.parse(JSON.stringify(compiled)));
    if ("source" in compiled) expect(new RegExp(compiled.source, compiled.flags)).toBeInstanceOf(RegExp);
    expect("source" in compiled).toBe(true);
  });

  test("that cannot be translated says why", () => {
    expect(compilePattern("(")).toEqual({ error: expect.stringContaining("/(/") });
  });

  test.skipIf(!HAS_RUBY)("finds what Ruby finds, on texts of ASCII and others, or is not translated", () => {
    const known = askRuby({ patterns: PATTERNS, subjects: SUBJECTS });
    const wrong: unknown[] = [];
    let translated = 0;
    for (const [at, ruby] of PATTERNS.entries()) {
      const compiled = compilePattern(ruby);
      if ("error" in compiled) continue;
      translated++;
      for (const [place, subject] of SUBJECTS.entries()) {
        const isAscii = /^[\0-\x7f]*$/.test(subject);
        const found = new RegExp(isAscii ? compiled.ascii : compiled.source, compiled.flags).test(subject);
        if (found !== known[at]?.[place])
          wrong.push([ruby, subject, found, known[at]?.[place] ?? "Ruby refuses the pattern"]);
      }
    }
    expect(wrong).toEqual([]);
    expect(translated).toBeGreaterThan(PATTERNS.length * 0.75);
  });
});
