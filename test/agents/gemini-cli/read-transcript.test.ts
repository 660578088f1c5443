import { createHash } from "node:crypto";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { geminiPlaces } from "../../../src/agents/gemini-cli/paths.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { readAll } from "../transcripts.ts";

const SESSION = "d041fe10-920a-4160-8eca-204db3297cb0";
const HELPER = "e41180ee-a3a0-48bc-a3f2-b06910ad53a2";
const MAIN = "session-2026-11-22T23-36-d041fe10.jsonl";
const BEGUN = "2026-11-22T23:36:20.090Z";
const ENDED = "2026-11-22T23:36:20.370Z";

function begins(more: object = {}): string {
  const times = { startTime: "2026-11-22T23:36:19.902Z", lastUpdated: "2026-11-22T23:36:19.902Z" };
  const projectHash = createHash("sha256").update("/p").digest("hex");
  return JSON.stringify({ sessionId: SESSION, projectHash, ...times, kind: "main", ...more });
}

function says(more: object = {}, timestamp = BEGUN): string {
  const message = { id: "6e45051e", timestamp, type: "gemini", content: "", thoughts: [], model: "gemini-2.5-pro" };
  return JSON.stringify({ ...message, ...more });
}

function call(more: object = {}, said: object = { output: "Output: (empty)" }) {
  const [id, name] = ["run_shell_command__call_1", "run_shell_command"];
  return {
    id,
    name,
    args: { command: "ls" },
    result: [{ functionResponse: { id, name, response: said } }],
    status: "success",
    timestamp: ENDED,
    resultDisplay: "",
    description: "ls",
    displayName: "Shell",
    renderOutputAsMarkdown: false,
    ...more,
  };
}

const STEP = JSON.stringify({ $set: { lastUpdated: ENDED } });

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function read(lines: readonly string[], file: string = MAIN) {
  writeTree(folder, { ".project_root": "/p", [`chats/${file}`]: lines.join("\n") });
  return readAll(geminiPlaces.transcripts, path.join(folder, "chats", file));
}

test("a call is told once, with the times between which its hooks were asked", async () => {
  const again = says({ toolCalls: [call()] });
  expect(
    await read([begins(), says(), STEP, again, again, JSON.stringify({ $set: { messages: [JSON.parse(again)] } })]),
  ).toEqual({
    gaps: [],
    calls: [
      {
        agent: "gemini-cli",
        session: SESSION,
        folder: "/p",
        startedIn: "/p",
        at: new Date(BEGUN),
        until: new Date(ENDED),
        id: "run_shell_command__call_1",
        tool: "run_shell_command",
        input: { command: "ls" },
        outcome: "ran",
        subagent: false,
      },
    ],
  });
});

test("a message that comes with its calls is as late as they ended, so they were made after the one before it", async () => {
  const { calls } = await read([begins(), says({ id: "d049", type: "user" }), says({ toolCalls: [call()] }, ENDED)]);
  expect(calls.map(({ at }) => at)).toEqual([new Date(BEGUN)]);
});

test("a subagent's calls have the session that started it, as in its hooks", async () => {
  const lines = [begins({ sessionId: HELPER, kind: "subagent", directories: ["/p"] }), says({ toolCalls: [call()] })];
  const { calls } = await read(lines, `${SESSION}/${HELPER}.jsonl`);
  expect(calls.map(({ session, subagent, folder }) => [session, subagent, folder])).toEqual([[SESSION, true, "/p"]]);
});

const BLOCKED = "Tool execution blocked: [@me/guard#gate] no";

test.each([
  ["a hook denied", { error: BLOCKED }, { status: "error", resultDisplay: BLOCKED }, "refused"],
  [
    "isn't there",
    { error: 'Tool "nope" not found. Did you mean one of: "replace"?' },
    { status: "error", name: "nope" },
    "refused",
  ],
  [
    "has an input that its tool doesn't take",
    { error: "Path not in workspace" },
    { status: "error", resultDisplay: "Path not in workspace" },
    "refused",
  ],
  [
    "ended with an error",
    { error: "Could not find an exact match for 'old_string' in '/p/x.txt'." },
    { status: "error", name: "replace", resultDisplay: "Error: Could not find an exact match." },
    "failed",
  ],
  ["only prints that it was blocked", { output: BLOCKED }, { resultDisplay: BLOCKED }, "ran"],
  [
    "a person stopped",
    { error: "[Operation Cancelled] User cancelled tool execution." },
    { status: "cancelled" },
    "failed",
  ],
  ["a person refused", { error: "[Operation Cancelled] User denied execution." }, { status: "cancelled" }, "refused"],
  [
    "a server may have made before it failed",
    { error: "MCP error -32001: Request timed out" },
    { status: "error", name: "mcp_g_hi", resultDisplay: "MCP error -32001: Request timed out" },
    "unknown",
  ],
])("the outcome of a call that %s", async (_, said, more, outcome) => {
  const { calls } = await read([begins(), says({ toolCalls: [call(more, said)] })]);
  expect(calls.map((one) => one.outcome)).toEqual([outcome]);
});

test("a tool of a server has the name that policies know", async () => {
  const shown = { name: "mcp_my_server_say_hello", displayName: "say_hello (my_server MCP Server)" };
  const lies = { ...shown, id: "2", name: "run_shell_command" };
  const { calls } = await read([begins(), says({ toolCalls: [call(shown), call(lies)] })]);
  expect(calls.map(({ tool }) => tool)).toEqual(["mcp__my_server__say_hello", "run_shell_command"]);
});

test.each([
  [
    "an earlier version",
    "session-1.json",
    ['{"sessionId":"1"}'],
    "is of an earlier version of Gemini CLI, whose format isn't known",
  ],
  ["no beginning", MAIN, [says()], "isn't the beginning of a session as Gemini CLI 0.61 writes it"],
  ["another form of line", MAIN, [begins(), '{"robot":1}'], "isn't a line as Gemini CLI 0.61 writes it"],
  [
    "another form of message among all of them",
    MAIN,
    [begins(), JSON.stringify({ $set: { messages: [{ toolCalls: [call()] }] } })],
    "isn't a line as Gemini CLI 0.61 writes it",
  ],
  [
    "a tool with a name without end",
    MAIN,
    [begins(), says({ toolCalls: [call({ displayName: " (".repeat(3_000) })] })],
    "has a call that isn't one as Gemini CLI 0.61 writes it",
  ],
  [
    "another form of call",
    MAIN,
    [begins(), says({ toolCalls: [call({ status: "executing" })] })],
    "has a call that isn't one as Gemini CLI 0.61 writes it",
  ],
  [
    "another folder than the session's",
    MAIN,
    [begins({ projectHash: "00" })],
    "doesn't say in which folder the session was started",
  ],
])("%s is said, and not guessed", async (_, file, lines, what) => {
  const { calls, gaps } = await read(lines, file);
  expect([calls, gaps.map((gap) => gap.what)]).toEqual([[], [what]]);
});
