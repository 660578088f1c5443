import fc from "fast-check";
import { expect, test } from "vitest";
import { compileMatcher, takesAllOf } from "../../src/card/matcher.ts";

const takes = (matcher: string | null, name: string): boolean =>
  matcher === null || new RegExp(compileMatcher(matcher), "u").test(name);

test.each<[string | null, string | null, boolean | null]>([
  ["Bash|BashOutput", "Bash", true],
  ["Bash", "Bash|BashOutput", false],
  ["BashOutput|Bash", "Bash|BashOutput", true],
  ["{Bash,Edit}", "Edit", true],
  ["Bash*", "BashOutput", true],
  ["Bash*", "Bash", true],
  ["Bash", "Bash*", false],
  ["Edit", "Bash", false],
  ["mcp__*", "mcp__github__*", true],
  ["mcp__github__*", "mcp__*", false],
  ["mcp__*|Bash", "Bash|mcp__github__push", true],
  ["*", null, true],
  [null, "*", true],
  [null, null, true],
  ["Bash", null, false],
  ["!Bash", null, null],
  ["!Bash", "Bash", false],
  ["!Bash", "Edit|Write", true],
  ["!Bash", "!Bash|Edit", true],
  ["!Bash|Edit", "!Bash", null],
  ["Bas?", "Bash", true],
  ["Bash", "Bas?", false],
  ["*h", "*sh", true],
  ["*sh", "*h", false],
  ["a*|*b", "a*b", true],
])("%s takes all that %s takes: %s", (matcher, other, is) => {
  expect(takesAllOf(matcher, other)).toBe(is);
});

const glob = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([isBut, alternatives]) => `${isBut ? "!" : ""}${alternatives.join("|")}`)
  .filter((text) => !/\*[^*|]*\*[^*|]*\*[^*|]*\*[^*|]*\*/u.test(text));
const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

test("what it says holds for every name", () => {
  fc.assert(
    fc.property(glob, glob, fc.array(name, { minLength: 20, maxLength: 40 }), (matcher, other, names) => {
      const said = takesAllOf(matcher, other);
      if (said === true) for (const one of names) expect(takes(other, one) && !takes(matcher, one)).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});
