import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { PendingCalls, readJsonLines } from "../../../src/agents/transcript/read-lines.ts";
import type { TranscriptGap } from "../../../src/agents/transcript/transcript.ts";
import { temporaryFolder } from "../../support/cards.ts";

let file: string;
beforeEach(() => {
  file = path.join(temporaryFolder(), "session.jsonl");
});

function read(content: string | Buffer) {
  fs.writeFileSync(file, content);
  const gaps: TranscriptGap[] = [];
  const values: unknown[] = [];
  for (const { number, value } of readJsonLines(file, (gap) => gaps.push(gap))) values.push([number, value]);
  return { values, said: gaps.map(({ line, what }) => `${line} ${what}`) };
}

test.each<[string, string | Buffer, unknown[], string[]]>([
  [
    "lines, one of them blank",
    '{"a":1}\n\n2\n',
    [
      [1, { a: 1 }],
      [3, 2],
    ],
    [],
  ],
  ["nothing", "", [], []],
  ["a last line that is being written", '1\n{"a":', [[1, 1]], []],
  [
    "a last line without its end",
    '1\n{"a":1}',
    [
      [1, 1],
      [2, { a: 1 }],
    ],
    [],
  ],
  ["a line that was cut", '{"a":\n2\n', [[2, 2]], ["1 isn't JSON"]],
  ["bytes that are no text", Buffer.from([0, 255, 254, 10, 49, 10]), [[2, 1]], ["1 isn't JSON"]],
  [
    "a line longer than memory should hold",
    `"${"a".repeat(33 * 2 ** 20)}"\n2\n`,
    [[2, 2]],
    ["1 is longer than 33554432 bytes"],
  ],
  [
    "more values than memory should hold",
    `[${"{},".repeat(500_001)}0]\n2\n`,
    [[2, 2]],
    ["1 has more than 1000000 values"],
  ],
  ["one text with many commas", JSON.stringify('\\",'.repeat(500_000)), [[1, '\\",'.repeat(500_000)]], []],
  ["one character in two pieces", `"${"a".repeat(256 * 1024 - 2)}é"\n`, [[1, `${"a".repeat(256 * 1024 - 2)}é`]], []],
])("a transcript of %s", (_, content, values, said) => {
  expect(read(content)).toEqual({ values, said });
});

test("a file that grows is read as far as it was when it was opened", () => {
  fs.writeFileSync(file, "1\n");
  const values: unknown[] = [];
  for (const { value } of readJsonLines(file, () => {})) {
    values.push(value);
    fs.appendFileSync(file, "2\n");
  }
  expect(values).toEqual([1]);
});

test("of the end of a file all whole lines are read, and always the first line", () => {
  const lines = Array.from({ length: 9 }, (_, at) => JSON.stringify(`${at}${"x".repeat((at * 7) % 20)}`));
  const text = lines.map((line) => `${line}\n`).join("");
  fs.writeFileSync(file, text);
  for (let last = 1; last <= text.length; last += 1) {
    const values = [...readJsonLines(file, () => {}, last)].map(({ value }) => JSON.stringify(value));
    const whole = text
      .slice(text.length - last)
      .split("\n")
      .slice(1, -1);
    expect(values.slice(0, 1), `${last} bytes`).toEqual(lines.slice(0, 1));
    expect(values.slice(1), `${last} bytes`).toEqual(whole);
  }
});

test("a pipe in a transcript's place is refused, and not waited for", () => {
  execFileSync("mkfifo", [file]);
  expect(() => readJsonLines(file, () => {}).next()).toThrow("is not a regular file");
});

test("of calls without results only some are held; the oldest are told as unknown", () => {
  const pending = new PendingCalls();
  const about = { agent: "codex", session: "s", at: new Date(0), tool: "Bash", input: {}, subagent: false } as const;
  const told = [...Array(502).keys()].flatMap((at) => [...pending.add({ call: { ...about, id: `${at}` }, length: 1 })]);
  expect(told.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["0", "unknown"],
    ["1", "unknown"],
  ]);
  expect([...pending.rest()]).toHaveLength(500);
});
