import { expect, test } from "vitest";
import { qwenPlaces } from "../../../src/agents/qwen-code/paths.ts";
import { readLines } from "../transcripts.ts";

/** What every line of Qwen Code 0.24.4 has. */
const SAID = {
  uuid: "8e7250ca-8340-483c-9b2f-275948430641",
  sessionId: "51fe55dc-24c0-489e-adab-d2ed939e8174",
  timestamp: "2026-11-27T21:10:10.414Z",
  cwd: "/p",
  version: "0.24.4",
};

function calls(id: string, name: string, args: object, more: object = {}): string {
  const message = { role: "model", parts: [{ text: "I will" }, { functionCall: { id, name, args } }] };
  return JSON.stringify({ ...SAID, type: "assistant", message, ...more });
}

function gets(callId: string, executionStatus?: string): string {
  const message = { role: "user", parts: [{ functionResponse: { id: callId, response: {} } }] };
  return JSON.stringify({ ...SAID, type: "tool_result", message, toolCallResult: { callId, executionStatus } });
}

const read = (...lines: string[]) => readLines(qwenPlaces.transcripts, lines);

const PROMPT = JSON.stringify({ ...SAID, type: "user", message: { role: "user", parts: [{ text: "go" }] } });

test("a call is told with its session, its folder, and what came of it", async () => {
  expect(
    await read(PROMPT, calls("call_0", "run_shell_command", { command: "ls" }), gets("call_0", "success")),
  ).toEqual({
    gaps: [],
    calls: [
      {
        agent: "qwen-code",
        session: SAID.sessionId,
        folder: "/p",
        startedIn: "/p",
        at: new Date(SAID.timestamp),
        until: new Date(SAID.timestamp),
        id: "call_0",
        tool: "run_shell_command",
        input: { command: "ls" },
        outcome: "ran",
        subagent: false,
      },
    ],
  });
});

test.each([
  ["not_started", "refused"],
  ["success", "ran"],
  ["error", "failed"],
  [undefined, "unknown"],
])("a call that ends with the status %j %s", async (status, outcome) => {
  const { calls: read1 } = await read(calls("call_0", "edit", {}), gets("call_0", status));
  expect(read1).toMatchObject([{ tool: "edit", outcome }]);
});

test("a call in the envelope for other tools is that of the tool, and a subagent's is told as one", async () => {
  const input = { command: "touch a" };
  const { calls: found } = await read(
    calls("call_0", "tool_call", { name: "monitor", arguments: input }),
    calls("call_1", "glob", {}, { isSidechain: true }),
  );
  expect(found).toMatchObject([
    { tool: "monitor", input, subagent: false, outcome: "unknown" },
    { tool: "glob", subagent: true },
  ]);
});

test.each([
  [
    "another version",
    calls("call_0", "edit", {}, { version: "1.0.0" }),
    "is of Qwen Code 1.0.0, whose format isn't known",
  ],
  ["no type", "{}", "has no type"],
  [
    "another form of message",
    JSON.stringify({ ...SAID, type: "assistant" }),
    "isn't a message as Qwen Code 0 writes it",
  ],
  ["another form of call", calls("call_0", "edit", []), "has a call that isn't one as Qwen Code 0 writes it"],
])("%s is said, and not guessed", async (_, line, what) => {
  expect(await read(line)).toMatchObject({ calls: [], gaps: [{ line: 1, what }] });
});
