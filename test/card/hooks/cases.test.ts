import { describe, expect, test } from "vitest";
import { casesFileOf, parseCases, readCases } from "../../../src/card/hooks/cases.ts";
import { packSource } from "../../../src/card/source/pack.ts";
import { denyingPolicy, sourceWith } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";

const GOOD = { id: "ls", tool: "Bash", input: { command: "ls" }, expect: "allow" };

function textWith(...lines: (string | object)[]): Buffer {
  return Buffer.from(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
}

test("a case can say everything that a call and an answer have", () => {
  const whole = {
    ...GOOD,
    agent: "codex",
    phase: "pre-tool",
    cwd: "/work",
    session: [{ tool: "Read", input: { file_path: "/work/a" } }],
    expect: "rewrite",
    reason: "part",
    updatedInput: { command: "ls -l" },
    instead: { tool: "Bash", input: { command: "ls -a" } },
    todo: true,
    why: "#12",
  };
  expect(parseCases(textWith(whole, "", { ...GOOD, id: "other" }), "c.jsonl")).toEqual([
    whole,
    { ...GOOD, id: "other" },
  ]);
});

describe.each([
  ["no JSON", "{", "it is not JSON"],
  ["a comment", "// later", "it is not JSON"],
  ["another value", "[]", "the file should be an object"],
  ["a key twice", '{"id":"a","id":"b"}', "it has the key `id` twice"],
  ["more depth than anybody reads", `{"x":${"[".repeat(99)}${"]".repeat(99)}}`, "it is nested deeper than 64"],
  ["a field that no case has", { ...GOOD, expected: "deny" }, "`expected` should be absent"],
  ["another word", { ...GOOD, expect: "block" }, '`expect` should be "deny" or "ask" or "allow" or "rewrite"'],
  ["a call without a tool", { ...GOOD, tool: undefined }, "`tool` should be the name of a tool"],
  ["an agent that nobody knows", { ...GOOD, agent: "hal" }, "`agent` should be"],
  ["an id that is there", { ...GOOD, id: "first" }, "the id `first` is that of line 1, too"],
  ["a deny after the call", { ...GOOD, phase: "post-tool", expect: "deny" }, "after a call nothing can be denied"],
  ["an input that nobody rewrites", { ...GOOD, updatedInput: {} }, "`updatedInput` should be absent"],
  ["a folder that isn't absolute", { ...GOOD, cwd: "work" }, "`cwd` should be"],
] as const)("%s", (_, line, told) => {
  test("is refused with the number of its line", async () => {
    const problem = await problemOf(() => parseCases(textWith({ ...GOOD, id: "first" }, line), "hooks/a/cases.jsonl"));
    expect([problem.code, problem.message]).toEqual([
      "DRWN_CASES_INVALID",
      expect.stringContaining("hooks/a/cases.jsonl:2: "),
    ]);
    expect(textOf(problem)).toContain(told);
  });
});

test.each([
  ["a line", Buffer.from([0xff, 0x0a])],
  ["the last line", Buffer.from([0xff, 0xfe])],
  ["a character that the line break cuts", Buffer.from([0xc3, 0x0a, 0xa4])],
])("bytes that aren't text are refused with the number of their line: %s", async (_, bytes) => {
  const file = Buffer.concat([textWith({ ...GOOD, why: "naïve" }, ""), bytes]);
  expect((await problemOf(() => parseCases(file, "c"))).message).toBe("c:2: it isn't UTF-8");
});

test("cases are packed with their hook, and part of what the card is known by", async () => {
  const hooks = { guard: denyingPolicy("Bash") };
  const plain = await packSource(sourceWith({ hooks }));
  const packed = await packSource(sourceWith({ hooks, files: { [casesFileOf("guard")]: textWith(GOOD) } }));
  expect(readCases(packed.files, "guard")).toEqual([GOOD]);
  expect(packed.tree).not.toBe(plain.tree);
});

test("a card with a line that isn't a case is not packed", async () => {
  const files = { [casesFileOf("guard")]: textWith(GOOD, "{") };
  const problem = await problemOf(() => packSource(sourceWith({ hooks: { guard: denyingPolicy("Bash") }, files })));
  expect(problem.message).toContain("hooks/guard/cases.jsonl:2: ");
});
