import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { parseFormat, readFormat, readFormatIfThere } from "../../../src/kernel/format/read.ts";
import { unique } from "../../../src/kernel/format/schema.ts";
import * as z from "../../../src/kernel/format/zod.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";

const schema = z.strictObject({
  name: z.string().regex(/^@/u, { error: "a name with @" }),
  count: z.int().min(1).optional(),
  tags: unique(z.array(z.string())).optional(),
  mode: z.enum(["on", "off"]).optional(),
  inner: z
    .record(z.string().regex(/^[a-z]+$/u, { error: "in lower case" }), z.strictObject({ x: z.number() }))
    .optional(),
  either: z.union([z.string(), z.strictObject({ url: z.string() })]).optional(),
});

describe("a file in our format", () => {
  test("comes out as its schema has it", () => {
    const file = path.join(writeTree(temporaryFolder(), { "a.json": formatJson({ name: "@x", count: 2 }) }), "a.json");
    expect(readFormat(file, schema)).toEqual({ name: "@x", count: 2 });
  });

  test.each([
    [{ name: "x" }, '`name` should be a name with @, got "x"'],
    [{}, "`name` should be a string, got nothing"],
    [{ name: "@x", count: 1.5 }, "`count` should be a whole number, got 1.5"],
    [{ name: "@x", count: 0 }, "`count` should be at least 1, got 0"],
    [{ name: "@x", more: true }, "`more` should be absent: the field is unknown, got true"],
    [{ name: "@x", tags: ["a", "b", "a"] }, '`tags[2]` should be listed once, got "a"'],
    [{ name: "@x", mode: "up" }, '`mode` should be "on" or "off", got "up"'],
    [{ name: "@x", inner: { a: { x: "1" } } }, '`inner.a.x` should be a number, got "1"'],
    [{ name: "@x", inner: { A: { x: 1 } } }, "`inner.A` should be named in lower case"],
    [{ name: "@x", either: { url: 1 } }, "`either"],
    [[], "the file should be an object, got []"],
  ])("%j is refused with field, expected and received", async (value, message) => {
    const problem = await problemOf(() => parseFormat(formatJson(value), schema, { file: "some.json" }));
    expect(problem.code).toBe("DRWN_FILE_INVALID");
    expect(problem.message).toMatch(/^some\.json, line \d+: /u);
    expect(problem.message).toContain(message);
  });

  test("every fault is listed", async () => {
    const problem = await problemOf(() => parseFormat('{"name": 1, "count": "x"}', schema, { file: "f" }));
    expect(textOf(problem)).toContain("`name`");
    expect(textOf(problem)).toContain("`count`");
  });

  test("the line is that of the field", async () => {
    const problem = await problemOf(() => parseFormat('{\n  "name": "@x",\n  "count": "x"\n}', schema, { file: "f" }));
    expect(problem.message).toContain("line 3");
  });

  test("a file that is too large is refused before it is parsed", async () => {
    const folder = writeTree(temporaryFolder(), { "big.json": Buffer.alloc(10 * 1024 * 1024, "x") });
    const problem = await problemOf(() => readFormat(path.join(folder, "big.json"), schema));
    expect(problem.code).toBe("DRWN_FILE_TOO_LARGE");
    expect(problem.message).toContain("10485760");
  });

  test("a file that is no UTF-8 is refused", async () => {
    const problem = await problemOf(() => parseFormat(Buffer.from([0x22, 0xff, 0x22]), schema, { file: "f" }));
    expect(problem.message).toContain("UTF-8");
  });

  test("a folder and a named pipe are refused, and nothing waits for the pipe", async () => {
    const folder = temporaryFolder();
    const pipe = path.join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const file of [folder, pipe]) {
      const problem = await problemOf(() => readFormat(file, schema));
      expect(problem.message).toContain("not a regular file");
    }
  });

  test("an absent file is undefined, or a problem, as it was asked for", async () => {
    const file = path.join(temporaryFolder(), "none.json");
    expect(readFormatIfThere(file, schema)).toBeUndefined();
    expect((await problemOf(() => readFormat(file, schema))).message).toContain("none.json");
  });
});

test("the same value is written as the same bytes, with two spaces and a final newline", () => {
  expect(formatJson({ b: 1, a: [true] })).toBe('{\n  "b": 1,\n  "a": [\n    true\n  ]\n}\n');
});
