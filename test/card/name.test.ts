import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCardName, parseHookName, parseServerName } from "../../src/card/name.ts";
import { parseSpec, printSpec } from "../../src/card/spec.ts";
import { problemOf, textOf } from "../support/problems.ts";

const cardNames = fc
  .stringMatching(/^@[a-z0-9][a-z0-9-]{0,10}\/[a-z0-9][a-z0-9._-]{0,20}$/u)
  .filter((name) => !name.includes("..") && !name.endsWith("."));

describe("a card name", () => {
  test.each([
    "",
    "backend",
    "me/backend",
    "@me",
    "@me/",
    "@/backend",
    "@-me/backend",
    "@Me/backend",
    "@me/Backend",
    "@me/.backend",
    "@me/a..b",
    "@me/a.",
    "@me/../x",
    "@me/a/b",
    "@me/a b",
    "@me/a\n",
    "@me/bаckend",
    "@me/\u202ebackend",
    `@${"a".repeat(40)}/b`,
    `@me/${"b".repeat(102)}`,
    "@me/a%2e%2e",
    "@me/$(id)",
  ])("%j is refused, and echoed on one line without controls", async (name) => {
    const problem = await problemOf(() => parseCardName(name));
    expect(problem.code).toBe("DRWN_NAME_INVALID");
    expect(problem.message).not.toMatch(/[\u0000-\u001f\u202e]/u);
  });

  test("what has its form is taken as it is", () => {
    fc.assert(
      fc.property(cardNames, (name) => {
        expect(parseCardName(name)).toBe(name);
      }),
    );
  });
});

describe("a hook name", () => {
  test.each([
    "",
    "..",
    ".",
    "a/b",
    "a\\b",
    "-a",
    "A",
    "a_b",
    "a.b",
    "ä",
    "a b",
    "a".repeat(65),
    "a\u0000",
    "constructor",
    "prototype",
  ])("%j is refused", async (name) => {
    expect((await problemOf(() => parseHookName(name))).code).toBe("DRWN_NAME_INVALID");
  });

  test("64 letters, digits and dashes are fine", () => {
    const name = `0${"a-".repeat(31)}b`;
    expect(parseHookName(name)).toBe(name);
  });
});

test("a server name has no dots, slashes or spaces", async () => {
  expect(parseServerName("Git_hub-1")).toBe("Git_hub-1");
  for (const name of ["", "a.b", "a/b", "a b", "_a"]) {
    expect((await problemOf(() => parseServerName(name))).code).toBe("DRWN_NAME_INVALID");
  }
});

describe("a spec", () => {
  test.each([
    ["@me/backend", "@me/backend", null],
    ["@me/backend@1.2.3", "@me/backend", "1.2.3"],
    ["@me/backend@^1.0.0", "@me/backend", "^1.0.0"],
    ["@me/backend@>=1 <2 || ~3.1", "@me/backend", ">=1 <2 || ~3.1"],
    ["@me/back.end_x@*", "@me/back.end_x", "*"],
  ])("%s names a card and a range", (text, name, range) => {
    expect(parseSpec(text)).toEqual({ name, range });
  });

  test.each([
    "",
    "@",
    "backend",
    "backend@1",
    "@me/backend@",
    "@me/backend@ ",
    "@me/backend@latest",
    "@me/x@1@2",
    "file:.",
    "@me/../x@1",
  ])("%j is refused with an example of what is meant", async (text) => {
    const problem = await problemOf(() => parseSpec(text));
    expect(problem.code).toBe("DRWN_SPEC_INVALID");
    expect(textOf(problem)).toContain("@me/backend@^1.0.0");
  });

  test("printing and parsing are inverse", () => {
    const ranges = fc.option(
      fc
        .tuple(fc.constantFrom("", "^", "~", ">="), fc.nat(99), fc.nat(99), fc.nat(99))
        .map(([op, ...parts]) => op + parts.join(".")),
    );
    fc.assert(
      fc.property(cardNames.map(parseCardName), ranges, (name, range) => {
        expect(parseSpec(printSpec({ name, range }))).toEqual({ name, range });
      }),
    );
  });
});
