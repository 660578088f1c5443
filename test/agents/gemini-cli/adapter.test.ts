import { describe, expect, test } from "vitest";
import { geminiCli } from "../../../src/agents/gemini-cli/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const call = (tool_name: string, tool_input: unknown = {}) => ({
  hook_event_name: "BeforeTool",
  tool_name,
  tool_input,
  cwd: "/p",
  session_id: "s",
  timestamp: "2026-01-01T00:00:00Z",
});

test("a shell call is one of Bash, and answers to its own name", () => {
  const event = geminiCli.decode(call("run_shell_command", { command: "ls" }), "pre-tool");
  expect(event).toMatchObject({
    toolName: "Bash",
    aliases: ["run_shell_command"],
    input: { command: "ls" },
    views: [],
  });
  expect(event.rest).toEqual({
    cwd: "/p",
    sessionId: "s",
    metadata: { timestamp: "2026-01-01T00:00:00Z", tool_name: "run_shell_command" },
  });
});

test("a tool of an MCP server has its canonical name from the context, since its own tells no server from tool", () => {
  const mcp_context = { server_name: "my_db", tool_name: "run_query", command: "db" };
  const event = geminiCli.decode({ ...call("mcp_my_db_run_query"), mcp_context }, "pre-tool");
  expect(event).toMatchObject({ toolName: "mcp__my_db__run_query", aliases: ["mcp_my_db_run_query"] });
});

test.each([null, "x", {}, { server_name: 1, tool_name: "t" }, { server_name: "s" }])(
  "an MCP context that is %j leaves the tool its own name",
  (mcp_context) => {
    expect(geminiCli.decode({ ...call("mcp_a_b"), mcp_context }, "pre-tool").toolName).toBe("mcp_a_b");
  },
);

test.each([
  ["/p/.e\0nv", ["/p/.env"]],
  ["/p/%2eenv", ["/p/.env"]],
  ["@.env", [".env"]],
  ["@/x/.env", ["x/.env"]],
  ["@%2eenv\0", ["@%2eenv", "@.env", "%2eenv", ".env"]],
  ["100%", []],
])("a policy is shown every file that %j may come to", (file_path, readings) => {
  const { views } = geminiCli.decode(call("write_file", { file_path, content: "x" }), "pre-tool");
  expect(views).toEqual(
    readings.map((reading) => ({
      toolName: "Write",
      aliases: ["write_file"],
      input: { file_path: reading, content: "x" },
    })),
  );
});

test.each([
  ["/p/a", "/p/a"],
  ["100%.txt", "100%.txt"],
  ["a%20b.txt", "a b.txt"],
  ["100%25.txt", "100%.txt"],
  ["/p/%2eenv", "/p/.env"],
  ["/p/%252eenv", null],
  ["@x", null],
  ["%40x", null],
  ["/p/.e\0nv", null],
  ["/p/.e%00nv", null],
])("of a rewrite the path %j comes to %j", (file_path, taken) => {
  const rest = { content: "100% @ \0", dir_path: "%20" };
  const text = geminiCli.takeInput(JSON.stringify({ file_path, ...rest }));
  expect(text === null ? null : JSON.parse(text)).toEqual(taken === null ? null : { file_path: taken, ...rest });
});

describe("after a call", () => {
  const restOf = (tool_response: unknown) =>
    geminiCli.decode({ ...call("read_file"), hook_event_name: "AfterTool", tool_response }, "post-tool").rest;

  test("its result is the output", () => {
    const response = { llmContent: "text", returnDisplay: "text" };
    expect(restOf(response)).toMatchObject({ output: response });
    expect(restOf(response)["error"]).toBeUndefined();
  });

  test.each<[unknown, string]>([
    [{ type: "x", message: "gone" }, "gone"],
    ["gone", "gone"],
    [{ message: { deep: 1 } }, '{"deep":1}'],
  ])("a failure is its error: %j", (error, message) => {
    expect(restOf({ llmContent: "", error })).toMatchObject({ error: { name: "ToolError", message } });
  });
});

test.each([
  ["of the other phase", { ...call("glob"), hook_event_name: "AfterTool" }],
  ["that is not about a tool", { ...call("glob"), hook_event_name: "BeforeModel" }],
  ["without a tool", call("")],
  ["with a list as its input", call("glob", [])],
])("an event %s is refused", (_, wire) => {
  expect(() => geminiCli.decode(wire, "pre-tool")).toThrow(BrokenEvent);
});

const say = (parts: Partial<Parameters<typeof geminiCli.encode>[0]>) =>
  geminiCli.encode({ action: "allow", reason: "", context: null, updatedInput: null, ...parts }).text;

test("no opinion is silence, and so is context, which is not heeded before a call", () => {
  expect([say({}), say({ context: "note" })]).toEqual(["", ""]);
});

test.each<[string, Parameters<typeof say>[0], object]>([
  ["a deny has its reason", { action: "deny", reason: "no" }, { decision: "deny", reason: "no" }],
  [
    "an ask shows its reason to the person",
    { action: "ask", reason: "sure?" },
    { decision: "ask", reason: "sure?", systemMessage: "sure?" },
  ],
  [
    "a rewrite says nothing of whether the call may be made",
    { updatedInput: '{"command":"ls"}' },
    { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "ls" } } },
  ],
])("%s", (_, saying, answer) => {
  expect(JSON.parse(say(saying))).toEqual(answer);
});

test.each([
  ["read_many_files", { include: [".env", "src/**"] }, [".env", "src/**"]],
  ["read_many_files", { include: ".env", paths: ["b", 1] }, [".env", "b"]],
  ["read_mcp_resource", { uri: "file:///p/.env" }, ["/p/.env"]],
  ["read_mcp_resource", { uri: "db://p/.env" }, []],
])("%s %j is a Read of each file that it names", (tool, input, files) => {
  const { toolName, views, isDivided } = geminiCli.decode(call(tool, input), "pre-tool");
  expect([toolName, isDivided]).toEqual([tool, files.length > 0]);
  expect(views).toEqual(files.map((file_path) => ({ toolName: "Read", aliases: [], input: { file_path } })));
});
