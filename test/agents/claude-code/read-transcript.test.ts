import path from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCodePlaces } from "../../../src/agents/claude-code/paths.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { readLines } from "../transcripts.ts";

/** What every line of Claude Code 2.1.329 has. */
const SAID = {
  isSidechain: false,
  timestamp: "2026-11-22T20:12:29.828Z",
  cwd: "/p/sub",
  sessionId: "fa3fe7c7-a272-4fd7-8817-45bc00bce9b7",
  version: "2.1.329",
};

function uses(id: string, name: string, input: object, more: object = {}): string {
  const content = [{ type: "tool_use", id, name, input }];
  return JSON.stringify({ ...SAID, type: "assistant", message: { role: "assistant", content }, ...more });
}

function gets(id: string, result: object, more: object = {}): string {
  const content = [{ type: "tool_result", tool_use_id: id, ...result }];
  return JSON.stringify({ ...SAID, type: "user", message: { role: "user", content }, ...more });
}

const HOOK_SAYS_NO = {
  toolDenialKind: "permission-rule",
  permissionDecision: { decision: "reject", source: "hook", reasonType: "hook", reasonCode: "hook:PreToolUse" },
};
const YES = { permissionDecision: { decision: "accept", source: "config" } };

const read = (...lines: string[]) => readLines(claudeCodePlaces.transcripts, lines);

test("a call is told with its session, its folder, and what came of it", async () => {
  const { calls, gaps } = await read(
    JSON.stringify({ type: "queue-operation", operation: "enqueue", content: "go" }),
    JSON.stringify({
      ...SAID,
      type: "user",
      cwd: "/p",
      message: { role: "user", content: [{ type: "text", text: "go" }] },
    }),
    uses("toolu_1", "Bash", { command: "ls" }),
    gets("toolu_1", { content: "hi", is_error: false }, YES),
  );
  expect(gaps).toEqual([]);
  expect(calls).toEqual([
    {
      agent: "claude-code",
      session: SAID.sessionId,
      folder: "/p/sub",
      startedIn: "/p",
      at: new Date(SAID.timestamp),
      id: "toolu_1",
      tool: "Bash",
      input: { command: "ls" },
      outcome: "ran",
      subagent: false,
    },
  ]);
});

test.each([
  ["that ended with an error", { content: "Exit code 3", is_error: true }, YES, "failed"],
  ["that a hook denied", { content: "PreToolUse:Bash hook error: no", is_error: true }, HOOK_SAYS_NO, "refused"],
  ["of a tool that isn't there", { content: "<tool_use_error>Error: No such tool", is_error: true }, {}, "refused"],
  ["of a server that only says so", { content: "<tool_use_error>Error: No such tool", is_error: true }, YES, "failed"],
])("a call %s", async (_, result, more, outcome) => {
  const { calls } = await read(uses("toolu_1", "Bash", {}), gets("toolu_1", result, more));
  expect(calls.map((call) => call.outcome)).toEqual([outcome]);
});

test("what a subagent does is told as its own", async () => {
  const { calls } = await read(uses("toolu_1", "Read", {}, { isSidechain: true, agentId: "a71" }));
  expect(calls.map(({ subagent, outcome }) => [subagent, outcome])).toEqual([[true, "unknown"]]);
});

describe("what isn't understood is said, and not guessed", () => {
  test.each([
    [
      "a later version",
      uses("toolu_1", "Bash", {}, { version: "3.0.0" }),
      "is of Claude Code 3.0.0, whose format isn't known",
    ],
    [
      "no version",
      uses("toolu_1", "Bash", {}, { version: undefined }),
      "is of Claude Code without a version, whose format isn't known",
    ],
    [
      "a call without an input",
      uses("toolu_1", "Bash", [] as object),
      "has a call that isn't one as Claude Code 2 writes it",
    ],
    ["no time", uses("toolu_1", "Bash", {}, { timestamp: "soon" }), "isn't a message as Claude Code 2 writes it"],
    [
      "an unknown kind of call",
      uses("toolu_1", "Bash", {}).replace('"tool_use"', '"local_tool_use"'),
      "has a call of a kind that isn't known: local_tool_use",
    ],
    [
      "an unknown kind of call with a name without end",
      uses("toolu_1", "Bash", {}).replace('"tool_use"', `"${"a".repeat(10_000)}_tool_use"`),
      `has a call of a kind that isn't known: ${"a".repeat(100)}`,
    ],
    [
      "an input of a thousand levels",
      uses("toolu_1", "Bash", {}).replace("{}", `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`),
      "has a call that isn't one as Claude Code 2 writes it",
    ],
  ])("%s", async (_, line, what) => {
    const { calls, gaps } = await read(line);
    expect([calls, gaps.map((gap) => gap.what)]).toEqual([[], [what]]);
  });
});

test("two calls with one id are two, and each gets its own result", async () => {
  const { calls } = await read(
    uses("toolu_1", "Bash", { command: "a" }),
    uses("toolu_1", "Bash", { command: "b" }),
    gets("toolu_1", { is_error: true }, HOOK_SAYS_NO),
    gets("toolu_1", {}, YES),
  );
  expect(calls.map(({ input, outcome }) => [input["command"], outcome])).toEqual([
    ["a", "refused"],
    ["b", "ran"],
  ]);
});

test("sessions and those of their subagents are found below the folder that Claude Code was told to use", () => {
  const files = ["projects/-p/one.jsonl", "projects/-p/one/subagents/agent-a.jsonl", "projects/-p/one/notes.json"];
  const folder = writeTree(temporaryFolder(), Object.fromEntries(files.map((name) => [name, ""])));
  const host = { cwd: "/p", home: "/nowhere", drwnHome: "/nowhere", env: { CLAUDE_CONFIG_DIR: folder } };
  const found = [...claudeCodePlaces.transcripts.files(host, () => {})].map(({ file }) => path.relative(folder, file));
  expect(found.sort()).toEqual(files.slice(0, 2).sort());
});
