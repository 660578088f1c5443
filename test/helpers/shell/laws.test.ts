import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchConstants } from "../../../src/helpers/match-constants.ts";
import { commandsOf } from "../../../src/helpers/shell/unwrap.ts";
import { MENTIONS, PREFIXES, QUOTINGS, WRAPPINGS, writtenCommand } from "./texts.ts";

const CONSTANTS = Object.values(matchConstants);
const SUBCOMMANDS = [
  ...CONSTANTS.map(({ name }) => name.replace(/^git_/u, "").replace("_force", "")),
  "log",
  "fetch",
  "commit-tree",
];

/** Calls of git with what agents and people put into them, and with words that only look like it. */
const gitCalls = fc
  .tuple(
    fc.constantFrom("git", "/usr/bin/git", "git.exe", "my-git", "docker"),
    fc.array(fc.constantFrom(["-C", "a b"], ["-C", "push"], ["-c", "a.b=c d"], ["--git-dir=x"], ["--no-pager"]), {
      maxLength: 2,
    }),
    fc.constantFrom(...SUBCOMMANDS),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          "-f",
          "-fu",
          "--force",
          "--force-with-lease=main",
          "+main",
          "--mirror",
          "-o",
          "--",
          "-m",
          "origin",
        ),
        fc.constantFrom(
          "it's",
          'a"b',
          "$x",
          "`ls`",
          "#1",
          "a;b",
          "a&&b",
          "(c)",
          "",
          " ",
          "-",
          "a|b",
          ">",
          "{a,b}",
          "\\",
        ),
        fc.string({ unit: fc.constantFrom(..."abf-+ '\"$`\\|&;<>()#{}*?!=~"), maxLength: 6 }),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([git, settings, subcommand, rest]) => [git, ...settings.flat(), subcommand, ...rest]);

/** All ten verdicts, as one text. */
function verdictsOf(text: string): string {
  return CONSTANTS.filter((constant) => constant.matches(text))
    .map(({ name }) => name)
    .join(" ");
}

function plain(words: readonly string[]): string {
  return words.map((word) => QUOTINGS[1]?.(word)).join(" ");
}

describe("what a command is written like never changes a verdict:", () => {
  test("quoting and spacing", () => {
    fc.assert(
      fc.property(writtenCommand(gitCalls), ({ words, text }) => {
        expect(verdictsOf(text)).toBe(verdictsOf(plain(words)));
      }),
      { numRuns: 200 },
    );
  });

  test("what stands around it", () => {
    fc.assert(
      fc.property(
        writtenCommand(gitCalls),
        fc.option(fc.constantFrom(...PREFIXES), { nil: (command: string) => command }),
        fc.array(fc.constantFrom(...WRAPPINGS), { minLength: 1, maxLength: 3 }),
        ({ words, text }, prefix, wrappings) => {
          const whole = wrappings.reduce((inner, wrap) => (canNest(inner) ? wrap(inner) : inner), prefix(text));
          expect(verdictsOf(whole)).toBe(verdictsOf(plain(words)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a command that is only talked about is none", () => {
    fc.assert(
      fc.property(writtenCommand(gitCalls), fc.constantFrom(...MENTIONS), ({ text }, mention) => {
        expect(verdictsOf(mention(text))).toBe("");
      }),
      { numRuns: 300 },
    );
  });
});

/** A comment or a here-document ends with its line only. */
function canNest(text: string): boolean {
  return !/# |<</u.test(text);
}

test("the words of a command are those that were written, whatever the quotes", () => {
  const words = fc.array(
    fc.string({ unit: "grapheme" }).filter((word) => !word.includes("\0")),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(words, (given) => {
      const [command] = commandsOf(plain(["program", ...given]));
      expect([command?.program, command?.arguments]).toEqual(["program", given]);
    }),
  );
});

test("any text is read or refused, within its length", () => {
  const pieces = [
    "git push -f",
    " ",
    "\n",
    "'",
    '"',
    "$(",
    ")",
    "`",
    "${",
    "}",
    "((",
    "))",
    "<<E",
    "\nE\n",
    "case x in",
    "esac",
    ";;",
    "|",
    "&&",
    "[[",
    "]]",
    "\\",
    "#",
    "a=(",
    "$'",
    "for x",
    "{",
    "then",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      for (const constant of CONSTANTS) expect(typeof constant.matches(parts.join(""))).toBe("boolean");
    }),
    { numRuns: 500 },
  );
});
