import { expect, test } from "vitest";
import { codexPlaces } from "../../../src/agents/codex/paths.ts";
import { readLines } from "../transcripts.ts";

const AT = "2026-11-22T20:12:37.102Z";
const ROOT = "01a204e3-a2e5-7302-bc9b-348086c4aa1c";

function line(type: string, payload: object): string {
  return JSON.stringify({ timestamp: AT, type, payload });
}

function begins(more: object = {}): string {
  const id = { session_id: ROOT, id: ROOT };
  return line("session_meta", { ...id, cwd: "/p", cli_version: "0.169.0", source: "exec", ...more });
}

function calls(name: string, args: object, more: object = {}): string {
  const payload = { type: "function_call", name, arguments: JSON.stringify(args), call_id: "call_1", ...more };
  return line("response_item", payload);
}

function gets(output: unknown): string {
  return line("response_item", { type: "function_call_output", call_id: "call_1", output });
}

function done(type: string, status: string): string {
  return line("event_msg", { type: "item_completed", item: { type, id: "call_1", status } });
}

const read = (...lines: string[]) => readLines(codexPlaces.transcripts, lines, "rollout-1.jsonl");

test("a command is told as hooks are told of it, with the folder of its turn", async () => {
  const turn = line("turn_context", { cwd: "/p/sub" });
  const { calls: told, gaps } = await read(
    begins(),
    turn,
    calls("exec_command", { cmd: "ls" }),
    done("CommandExecution", "completed"),
    gets("Chunk ID: e5b76d\nProcess exited with code 0\n"),
  );
  expect(gaps).toEqual([]);
  expect(told).toEqual([
    {
      agent: "codex",
      session: ROOT,
      folder: "/p/sub",
      startedIn: "/p",
      at: new Date(AT),
      id: "call_1",
      tool: "Bash",
      input: { command: "ls" },
      outcome: "ran",
      subagent: false,
    },
  ]);
});

const BLOCKED = "Command blocked by PreToolUse hook: no. Command: ls";

test.each([
  ["a hook denied", [gets(BLOCKED)], "refused"],
  ["isn't there", [gets("unsupported call: nope")], "refused"],
  ["ended with an error", [done("CommandExecution", "failed"), gets("Process exited with code 3")], "failed"],
  [
    "only prints that it was blocked",
    [done("McpToolCall", "completed"), gets([{ type: "input_text", text: BLOCKED }])],
    "ran",
  ],
  ["nobody waited for", [], "unknown"],
])("the outcome of a call that %s", async (_, lines, outcome) => {
  const { calls: told } = await read(begins(), calls("exec_command", { cmd: "ls" }), ...lines);
  expect(told.map((call) => call.outcome)).toEqual([outcome]);
});

test.each([
  ["an array of words", calls("shell", { command: ["bash", "-lc", "ls -l"] }), "Bash", { command: "ls -l" }],
  [
    "a patch",
    line("response_item", {
      type: "custom_tool_call",
      call_id: "call_1",
      name: "apply_patch",
      input: "*** Begin Patch",
    }),
    "apply_patch",
    { command: "*** Begin Patch" },
  ],
  ["a tool of a server", calls("hello", { a: 1 }, { namespace: "mcp__g" }), "mcp__g__hello", { a: 1 }],
  ["the start of an agent", calls("spawn_agent", { a: 1 }, { namespace: "multi_agent_v1" }), "Agent", { a: 1 }],
])("%s is told as hooks are told of it", async (_, called, tool, input) => {
  const { calls: told } = await read(begins(), called);
  expect(told.map((call) => [call.tool, call.input])).toEqual([[tool, input]]);
});

test("a subagent's calls have the session of whoever started it, as in its hooks", async () => {
  const source = { subagent: { thread_spawn: { parent_thread_id: ROOT, depth: 1 } } };
  const { calls: told } = await read(begins({ id: "01a204e3-a53d", source }), calls("exec_command", { cmd: "ls" }));
  expect(told.map(({ session, subagent }) => [session, subagent])).toEqual([[ROOT, true]]);
});

test.each([
  [
    "a later version",
    [begins({ cli_version: "1.0.0" }), calls("exec_command", {})],
    "is of Codex 1.0.0, whose format isn't known",
  ],
  ["no beginning", [calls("exec_command", {})], "isn't the beginning of a session as Codex 0 writes it"],
  ["another form of line", [JSON.stringify({ id: ROOT, cwd: "/p" })], "isn't a line as Codex 0 writes it"],
  [
    "an unknown kind of call",
    [begins(), line("response_item", { type: "robot_call" })],
    "is a call of a kind that isn't known: robot_call",
  ],
  [
    "an unknown kind of call with a name without end",
    [begins(), line("response_item", { type: `${"a".repeat(10_000)}_call` })],
    `is a call of a kind that isn't known: ${"a".repeat(100)}`,
  ],
  [
    "arguments that are no object",
    [begins(), calls("exec_command", [])],
    "has a call that isn't one as Codex 0 writes it",
  ],
])("%s is said, and not guessed", async (_, lines, what) => {
  const { calls: told, gaps } = await read(...lines);
  expect([told, gaps.map((gap) => gap.what)]).toEqual([[], [what]]);
});
