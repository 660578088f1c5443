import { describe, expect, test } from "vitest";
import { parseManifest } from "../../src/card/manifest.ts";
import { faultOfValue, tighten } from "../../src/card/options.ts";
import type { OptionDeclaration, OptionValue } from "../../src/contract/ledger.ts";
import { problemOf, textOf } from "../support/problems.ts";

const description = "What it is.";

function manifestWith(options: unknown): string {
  return JSON.stringify({ name: "@me/x", version: "1.0.0", hooks: { include: ["guard"], options } });
}

describe("a declaration of options", () => {
  test("of each type is taken", () => {
    const options = {
      guard: {
        strict: { type: "boolean", default: false, description, tightens: true },
        depth: { type: "integer", default: 3, minimum: 0, maximum: 10, description, tightens: "lower" },
        remote: { type: "string", default: "", maxLength: 10, description },
        names: { type: "strings", default: ["a"], maxItems: 2, description },
        allow: { type: "globs", default: ["user/{a,b}/**"], description, tightens: true },
        level: { type: "enum", values: ["ask", "deny"], default: "deny", description, tightens: true },
      },
    };
    expect(parseManifest(manifestWith(options), { file: "card.json" }).hooks?.options).toEqual(options);
  });

  test.each<[string, unknown, RegExp]>([
    [
      "for a hook that is not there",
      { other: { a: { type: "boolean", default: true, description } } },
      /hooks\.include/,
    ],
    ["of no option", { guard: {} }, /from 1 to 20/],
    [
      "of too many",
      {
        guard: Object.fromEntries(
          Array.from({ length: 21 }, (_, at) => [`o${at}`, { type: "boolean", default: true, description }]),
        ),
      },
      /from 1 to 20/,
    ],
    [
      "of a name that every object has",
      { guard: { toString: { type: "boolean", default: true, description } } },
      /every object/,
    ],
    [
      "of a name of other characters",
      { guard: { "a-b": { type: "boolean", default: true, description } } },
      /lower-case/,
    ],
    ["of an unknown type", { guard: { a: { type: "regex", default: "", description } } }, /type/],
    ["without a description", { guard: { a: { type: "boolean", default: true } } }, /description/],
    ["without a default", { guard: { a: { type: "boolean", description } } }, /default/],
    [
      "with a default out of bounds",
      { guard: { a: { type: "integer", default: 11, maximum: 10, description } } },
      /at most 10/,
    ],
    [
      "with a default that isn't a value",
      { guard: { a: { type: "enum", values: ["x"], default: "y", description } } },
      /one of x/,
    ],
    ["with a default that isn't a glob", { guard: { a: { type: "globs", default: ["{a"], description } } }, /globs/],
    [
      "with a control character",
      { guard: { a: { type: "string", default: "a\u001b[2J", description } } },
      /control characters/,
    ],
    [
      "of a text that tightens",
      { guard: { a: { type: "string", default: "", description, tightens: true } } },
      /tightens/,
    ],
    [
      "of an integer that tightens in no direction",
      { guard: { a: { type: "integer", default: 1, description, tightens: true } } },
      /lower/,
    ],
  ])("%s is refused", async (_, options, says) => {
    const problem = await problemOf(() => parseManifest(manifestWith(options), { file: "card.json" }));
    expect(textOf(problem)).toMatch(says);
  });
});

const LIST: OptionDeclaration = { type: "globs", default: [], description, tightens: true, maxItems: 3 };
const FLAG: OptionDeclaration = { type: "boolean", default: false, description, tightens: true };
const LEVEL: OptionDeclaration = {
  type: "enum",
  values: ["allow", "ask", "deny"],
  default: "ask",
  description,
  tightens: true,
};
const LOWER: OptionDeclaration = { type: "integer", default: 3, description, tightens: "lower" };

describe("what a project asks for", () => {
  test.each<[string, OptionDeclaration, OptionValue, OptionValue, OptionValue]>([
    ["adds to a list", LIST, ["main"], ["trunk"], ["main", "trunk"]],
    ["takes nothing out of a list", LIST, ["main"], [], ["main"]],
    ["makes no list too long", LIST, ["a", "b", "c"], ["d"], ["a", "b", "c"]],
    ["turns on", FLAG, false, true, true],
    ["does not turn off", FLAG, true, false, true],
    ["goes to a stricter word", LEVEL, "ask", "deny", "deny"],
    ["goes to no looser word", LEVEL, "ask", "allow", "ask"],
    ["goes down", LOWER, 3, 1, 1],
    ["does not go up", LOWER, 3, 9, 3],
    ["of another type changes nothing", LOWER, 3, "1", 3],
    ["of what does not tighten changes nothing", { type: "boolean", default: false, description }, false, true, false],
  ])("%s", (_, declared, value, asked, becomes) => {
    expect(tighten(declared, value, asked)).toEqual(becomes);
  });

  test.each<[OptionDeclaration, unknown]>([
    [LIST, ["a", "a"]],
    [LIST, [""]],
    [LIST, ["x".repeat(201)]],
    [LIST, "a"],
    [FLAG, "true"],
    [LOWER, 1.5],
    [LOWER, Number.NaN],
    [LEVEL, "other"],
    [LEVEL, ["deny"]],
  ])("is no value of %j: %j", (declared, value) => {
    expect(faultOfValue(declared, value)).toBeDefined();
  });
});
