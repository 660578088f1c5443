import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileMatcher, literalTools } from "../../src/card/matcher.ts";
import { bundleScript } from "../support/processes.ts";

const matches = (glob: string, name: string) => new RegExp(compileMatcher(glob), "u").test(name);

describe("a matcher", () => {
  test.each([
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Bash", "bash", false],
    ["Bash", "Bash\n", false],
    ["Bash", "xBash", false],
    ["a.b", "axb", false],
    ["*", "", true],
    ["*", "anything at all", true],
    ["*", "mcp/with/slashes", true],
    ["*", ".hidden", true],
    ["*", "two\nlines\u2028three", true],
    ["**", "a/./../b", true],
    ["mcp__*", "mcp__github__create_issue", true],
    ["mcp__*", "mcp__a/b.c", true],
    ["mcp__*", "xmcp__a", false],
    ["mcp__*__delete_*", "mcp__db__delete_row", true],
    ["mcp__*__delete_*", "mcp__db__create_row", false],
    ["?ash", "Bash", true],
    ["?ash", "/ash", true],
    ["?ash", "ash", false],
    ["?ash", "🦀ash", true],
    ["??ash", "🦀ash", false],
    ["{Write,Edit}", "Edit", true],
    ["{Write,Edit}", "MultiEdit", false],
    ["Write|Edit", "Write", true],
    ["Write|Edit", "WriteEdit", false],
    ["Write|*Edit", "NotebookEdit", true],
    ["Task{,s}", "Tasks", true],
    ["Task{,s}", "Task", true],
    ["mcp__{a,b}__*", "mcp__b__x", true],
    ["mcp__{a,b}__*", "mcp__c__x", false],
    ["*{abcd,c}*d", "abcd", true],
    ["*ab*ab", "ab", false],
    ["*ab*ab", "xabyab", true],
    ["functions.exec_command", "functions.exec_command", true],
    ["größe*", "größe1", true],
    ["!Read|Grep", "Grep", false],
    ["!Read|Grep", "ReadGrep", true],
    ["!Read|Grep", "!Read", true],
    ["!{Read,LS}", "LS", false],
    ["!mcp__*__get_*|Read", "mcp__db__get_row", false],
    ["!mcp__*__get_*|Read", "mcp__db__put_row", true],
  ])("%s on %j: %s", (glob, name, expected) => {
    expect(matches(glob, name)).toBe(expected);
  });

  test.each([
    ["", "an alternative is empty"],
    ["|", "an alternative is empty"],
    ["A|", "an alternative is empty"],
    ["{,A}", "an alternative is empty"],
    ["A | B", "begins or ends with a space"],
    ["Write, Edit", "a `,` is outside braces"],
    ["{A}", "braces need at least two alternatives"],
    ["{A,B", "a `{` is not closed"],
    ["A}", "a `}` has no `{`"],
    ["{A,{B,C}}", "braces inside braces"],
    ["{A|B,C}", "a `|` is inside braces"],
    ["[", "`[` has no meaning"],
    ["[AB]*", "`[` has no meaning"],
    ["(A|B)", "`(` has no meaning"],
    ["+(a)", "`+` has no meaning"],
    ["!(Bash)", "`(` has no meaning"],
    ["!", "an alternative is empty"],
    ["!!Bash", "`!` has no meaning"],
    ["Read|!Bash", "`!` has no meaning"],
    ["^Bash$", "`^` has no meaning"],
    ["Bash\\", "`\\` has no meaning"],
    ["Bash\u0000", "has no meaning"],
    ["Bash\u202e", "`\\u{202e}` has no meaning"],
    ["*a*b*c*d*", "an alternative has 5 runs"],
    ["a".repeat(129), "it has 129 bytes"],
    ["ü".repeat(65), "it has 130 bytes"],
    ["{a,b}".repeat(7), "more than 64 alternatives"],
    ["{a,b}{a,b}{a,b}{a,b}{a,b}|{a,b}{a,b}{a,b}{a,b}{a,b}|c", "it has 65 alternatives"],
  ])("%j is refused", (glob, why) => {
    for (const read of [compileMatcher, literalTools]) {
      expect(() => read(glob)).toThrow(
        expect.objectContaining({ code: "DRWN_MATCHER_INVALID", message: expect.stringContaining(why) }),
      );
    }
  });
});

/** The definition of a glob, straight from the words: what each character may stand for. */
function reference(glob: string, name: string): boolean {
  if (glob === "") return name === "";
  const rest = glob.slice(1);
  if (glob.startsWith("*")) return reference(rest, name) || (name !== "" && reference(glob, name.slice(1)));
  return name !== "" && (glob.startsWith("?") || glob[0] === name[0]) && reference(rest, name.slice(1));
}

const text = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map((parts) => parts.join(""));
const isAccepted = (glob: string) => glob.replace(/\*+/gu, "*").split("*").length <= 5;
const alternatives = fc.array(text("ab.*?/", 8).filter(isAccepted), { minLength: 1, maxLength: 3 });

describe("laws", () => {
  test("a compiled matcher says what the definition of a glob says", () => {
    fc.assert(
      fc.property(alternatives, text("ab./\n", 10), (globs, name) => {
        const isNamed = globs.some((glob) => reference(glob, name));
        expect(matches(globs.join("|"), name)).toBe(isNamed);
        expect(matches(`!${globs.join("|")}`, name)).toBe(!isNamed);
      }),
      { numRuns: 3000 },
    );
  });

  test("braces and bars mean the same", () => {
    fc.assert(
      fc.property(alternatives, text("ab./", 10), (globs, name) => {
        const [one = "", ...others] = globs;
        fc.pre(others.length > 0);
        expect(matches(`{${[one, ...others].join(",")}}`, name)).toBe(matches(globs.join("|"), name));
      }),
    );
  });

  test("the literal tools of a glob are what it matches", () => {
    fc.assert(
      fc.property(fc.array(text("ab", 3), { minLength: 1, maxLength: 4 }), text("ab", 3), (names, name) => {
        const glob = names.join("|");
        expect(literalTools(glob)?.includes(name)).toBe(matches(glob, name));
      }),
    );
  });
});

test.each([
  ["Bash", ["Bash"]],
  ["Write|Edit|Write", ["Edit", "Write"]],
  ["{Multi,}Edit", ["Edit", "MultiEdit"]],
  ["mcp__*", null],
  ["Bash|?ash", null],
  ["!Bash", null],
])("the literal tools of %s", (glob, tools) => {
  expect(literalTools(glob)).toEqual(tools);
});

test("the longest names and the worst patterns cost steps in proportion to the name", async () => {
  // Backtracking over three stars would take 10^15 steps here: a process of its own is ended, where a test would hang.
  const script = await bundleScript(`
    import { compileMatcher } from "src/card/matcher.ts";
    const name = "a".repeat(200_000) + "x";
    const globs = ["*a*a*a*b", "*aa*aa*aa*b", "a*a*a*a*b", "*?a*?a*?a*b", "{a*,*a}*a*a*b|*a*a*a*c"];
    console.log(globs.map((glob) => new RegExp(compileMatcher(glob), "u").test(name)).join());`);
  const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 20_000 });
  expect(stdout).toBe("false,false,false,false,false\n");
});
