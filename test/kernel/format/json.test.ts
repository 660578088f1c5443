import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson, parseStrictJson, readDrwnJson } from "../../../src/kernel/format/json.ts";
import { problemOf, textOf } from "../../support/problems.ts";

/** As it stands in a member of an object that drwn writes. */
const inner = (value: unknown) => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("strict JSON", () => {
  test.each([
    ["nothing", "", 1],
    ["words", "hello", 1],
    ["a comment", '{\n  // why\n  "a": 1\n}', 2],
    ["a trailing comma", '{\n  "a": 1,\n}', 3],
    ["a byte order mark", '\ufeff{"a": 1}', 1],
    ["a duplicate key", '{\n  "a": 1,\n  "a": 2\n}', 3],
    ["a duplicate key that is spelled with an escape", '{\n  "a": 1,\n  "\\u0061": 2\n}', 3],
    ["a duplicate key deep inside", '{"x": [{"a": 1,\n"a": 2}]}', 2],
    ["__proto__", '{\n "__proto__": {}\n}', 2],
    ["__proto__ with an escape", '{"__pr\\u006fto__": {}}', 1],
    ["constructor", '{"a": {"constructor": 1}}', 1],
    ["prototype", '{"prototype": 1}', 1],
    ["a duplicate key, written as drwn writes", '{\n  "a": 1,\n  "a": 1\n}\n', 3],
    [
      "a duplicate key deep inside, written as drwn writes",
      '{\n  "x": [\n    {\n      "a": 1,\n      "a": 1\n    }\n  ]\n}\n',
      5,
    ],
    ["__proto__, written as drwn writes", '{\n  "__proto__": {}\n}\n', 2],
    ["constructor, written as drwn writes", '{\n  "a": {\n    "constructor": 1\n  }\n}\n', 3],
    ["65 levels", nested(65), 1],
    ["65 levels, written as drwn writes", formatJson(JSON.parse(nested(65))), 65],
    ["65 levels around a value, written as drwn writes", formatJson(JSON.parse(nested(65).replace("[]", "[1]"))), 65],
    ["100000 levels behind a beginning of drwn's own", `{\n  "a": ${"[".repeat(100_000)}`, 2],
    ["100000 levels", "[".repeat(100_000), 1],
    ["a control character in a string", '"\u0001"', 1],
    ["two documents", "{}{}", 1],
  ])("%s is refused with file and line", async (_, text, line) => {
    const problem = await problemOf(() => parseStrictJson(text, { file: "some.json" }));
    expect(problem.code).toBe("DRWN_FILE_INVALID");
    expect(problem.message).toContain(`some.json, line ${line}:`);
  });

  test("64 levels are not too deep", () => {
    for (const text of [nested(64), formatJson(JSON.parse(nested(64)))])
      expect(JSON.stringify(parseStrictJson(text, { file: "f" }))).toBe(nested(64));
  });

  test("whatever drwn writes is read as its own, unless it is deep or names what is forbidden", () => {
    const members = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 10 }), { minKeys: 1 });
    fc.assert(
      fc.property(members, (value) => {
        const text = formatJson(value);
        fc.pre(!/"(?:__proto__|constructor|prototype)"/u.test(text));
        // Keys like "1" come first in what is parsed; what is written from it is as it was parsed.
        const again = formatJson(JSON.parse(text));
        expect(readDrwnJson(again)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  test("a text that is written otherwise is looked at character by character", () => {
    for (const text of [
      "{}\n",
      '{"a":1}',
      '{\n  "a": 1\n}',
      '{\n  "a": 1.0\n}\n',
      '{\n  "b": 1,\n  "1": 1\n}\n',
      '{\n "a": 1\n}\n',
    ])
      expect([readDrwnJson(text), parseStrictJson(text, { file: "f" })]).toEqual([undefined, JSON.parse(text)]);
  });

  test("brackets and quotes inside strings do not count as depth", () => {
    const text = JSON.stringify({ a: '"[{'.repeat(100), b: "\\" });
    expect(parseStrictJson(text, { file: "f" })).toEqual(JSON.parse(text));
  });

  test("the same key in two objects is fine", () => {
    expect(parseStrictJson('[{"a":1},{"a":2}]', { file: "f" })).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test("what JSON.stringify writes is read as it was, unless a key is forbidden", () => {
    const allowed = fc.jsonValue({ maxDepth: 10 }).filter((value) => {
      const text = JSON.stringify(value);
      return !/"(?:__proto__|constructor|prototype)"/u.test(text);
    });
    fc.assert(
      fc.property(allowed, (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(parseStrictJson(text, { file: "f" })).toEqual(JSON.parse(text));
      }),
    );
  });

  test("what git could not merge is said to be that", async () => {
    const text = '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> other\n}\n';
    const problem = await problemOf(() => parseStrictJson(text, { file: "card.lock" }));
    expect(problem.message).toBe("card.lock, line 2: git could not merge two versions of the file");
    expect(problem.hint).toContain("drwn install merges config.json, card.lock and trust.json");
  });

  test("a foreign key is echoed without its control characters", async () => {
    const problem = await problemOf(() => parseStrictJson('{"\\u001b[2J": 1, "\\u001b[2J": 2}', { file: "f" }));
    expect(textOf(problem)).not.toContain("\u001b");
  });

  test("a key twice is found whatever is in keys and values", () => {
    const odd = fc.string({ unit: fc.constantFrom("a", "\\", '"', "{", "}", "[", "]", ",", ":", "\n"), maxLength: 4 });
    const members = fc.array(fc.tuple(odd, fc.oneof(odd, fc.array(odd, { maxLength: 2 }), fc.dictionary(odd, odd))));
    fc.assert(
      fc.property(members, (pairs) => {
        const isUnique = new Set(pairs.map(([key]) => key)).size === pairs.length;
        for (const [opening, between, closing] of [
          ["{", ", ", "}"],
          ["{\n  ", ",\n  ", "\n}\n"],
        ]) {
          const lines = pairs.map(([key, value]) => `${JSON.stringify(key)}: ${inner(value)}`);
          const text = `${opening}${lines.join(between)}${closing}`;
          const read = () => parseStrictJson(text, { file: "f" });
          if (isUnique) expect(read()).toEqual(JSON.parse(text));
          else expect(read).toThrow("twice");
        }
      }),
    );
  });
});
