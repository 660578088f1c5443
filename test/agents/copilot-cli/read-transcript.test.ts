import { expect, test } from "vitest";
import { copilotPlaces } from "../../../src/agents/copilot-cli/paths.ts";
import { readLines } from "../transcripts.ts";

const SESSION = "16867c20-0d7f-48f2-802d-145a78d7e880";
const HELPER = "d41ce572-1cbb-4a5c-9163-5a578e8a0005";

function line(type: string, data: object, more: object = {}): string {
  const at = type === "tool.execution_complete" ? "2026-11-22T23:36:29.762Z" : "2026-11-22T23:36:29.702Z";
  return JSON.stringify({
    type,
    data,
    id: "072be8f3-ff14-4fc1-8a1b-9ae0a0485b2f",
    timestamp: at,
    parentId: null,
    ...more,
  });
}

function begins(more: object = {}): string {
  const made = { version: 1, producer: "copilot-agent", copilotVersion: "1.0.102" };
  return line("session.start", { sessionId: SESSION, ...made, context: { cwd: "/p" }, ...more });
}

function calls(toolName = "bash", sent: unknown = { command: "ls" }, more = {}): string {
  const data = {
    toolCallId: "call_1",
    toolName,
    arguments: sent,
    turnId: "0",
    model: "m",
    toolTitle: "Running command",
  };
  return line("tool.execution_start", data, more);
}

function ends(result: object): string {
  return line("tool.execution_complete", { toolCallId: "call_1", turnId: "0", toolTelemetry: {}, ...result });
}

const read = (...lines: string[]) => readLines(copilotPlaces.transcripts, lines, "events.jsonl");

const RAN = {
  shellExecution: { exitCode: 0 },
  success: true,
  result: { content: "\n<shellId: 0 completed with exit code 0>" },
};

test("a call is told with its folder and the moments between which its hooks were asked", async () => {
  const moved = line("session.context_changed", { cwd: "/p/sub" });
  const hook = line("hook.start", {
    hookInvocationId: "c9e5f499",
    hookType: "preToolUse",
    input: { sessionId: SESSION },
  });
  expect(await read(begins(), moved, calls(), hook, ends(RAN))).toEqual({
    gaps: [],
    calls: [
      {
        agent: "copilot-cli",
        session: SESSION,
        folder: "/p/sub",
        startedIn: "/p",
        at: new Date("2026-11-22T23:36:29.702Z"),
        until: new Date("2026-11-22T23:36:29.762Z"),
        id: "call_1",
        tool: "bash",
        input: { command: "ls" },
        outcome: "ran",
        subagent: false,
      },
    ],
  });
});

test.each([
  ["a hook denied", { success: false, error: { message: "Denied by preToolUse hook: no", code: "denied" } }, "refused"],
  ["ended with an error", { success: false, error: { message: "No match found", code: "failure" } }, "failed"],
])("the outcome of a call that %s", async (_, result, outcome) => {
  const { calls: told } = await read(begins(), calls(), ends(result));
  expect(told.map((call) => call.outcome)).toEqual([outcome]);
});

test("a subagent's calls have its own id as their session, as in its hooks", async () => {
  const { calls: told } = await read(begins(), calls("bash", {}, { agentId: HELPER }));
  expect(told.map(({ session, subagent, outcome }) => [session, subagent, outcome])).toEqual([
    [HELPER, true, "unknown"],
  ]);
});

test("a session that goes on in another folder is judged by the hooks of that one", async () => {
  const { calls: told } = await read(
    begins(),
    line("session.resume", { eventCount: 1, context: { cwd: "/q" } }),
    calls(),
  );
  expect(told.map(({ startedIn, folder }) => [startedIn, folder])).toEqual([["/q", "/q"]]);
});

test.each([
  ["a patch", "apply_patch", "*** Begin Patch", { input: "*** Begin Patch" }],
  ["JSON text", "bash", '{"command":"ls"}', { command: "ls" }],
  ["nothing", "list_bash", null, {}],
])("arguments that are %s are read as the hook reads them", async (_, tool, sent, input) => {
  expect((await read(begins(), calls(tool, sent))).calls.map((call) => call.input)).toEqual([input]);
});

test.each([
  [
    "a later version",
    [begins({ version: 2, copilotVersion: "2.0.0" }), calls()],
    "is of Copilot CLI 2.0.0, in version 2 of its format, which isn't known",
  ],
  ["no beginning", [calls()], "isn't the beginning of a session as Copilot CLI 1 writes it"],
  ["another form of line", [JSON.stringify({ id: SESSION })], "isn't an event as Copilot CLI 1 writes it"],
  [
    "arguments that are no object",
    [begins(), calls("bash", "ls")],
    "has a call that isn't one as Copilot CLI 1 writes it",
  ],
  ["no success", [begins(), ends({})], "has a result that isn't one as Copilot CLI 1 writes it"],
])("%s is said, and not guessed", async (_, lines, what) => {
  const { calls: told, gaps } = await read(...lines);
  expect([told, gaps.map((gap) => gap.what)]).toEqual([[], [what]]);
});
