import { describe, expect, test } from "vitest";
import { copilotCli } from "../../../src/agents/copilot-cli/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const call = (toolName: unknown, toolArgs: unknown = {}) => ({
  sessionId: "s",
  timestamp: 1795277043730,
  cwd: "/p",
  toolName,
  toolArgs,
});

test("a shell call is one of Bash, and answers to its own name", () => {
  const event = copilotCli.decode(call("bash", { command: "ls" }), "pre-tool");
  expect(event).toMatchObject({ toolName: "Bash", aliases: ["bash"], input: { command: "ls" }, views: [] });
  expect(event.rest).toEqual({
    cwd: "/p",
    sessionId: "s",
    metadata: { timestamp: 1795277043730, toolName: "bash" },
  });
});

test("arguments may come as JSON text, as older versions send them", () => {
  expect(copilotCli.decode(call("create", '{"path":"/a","file_text":"x"}'), "pre-tool")).toMatchObject({
    toolName: "Write",
    input: { path: "/a", file_text: "x" },
  });
});

test("what is typed into a shell that runs already is shown as a command", () => {
  const { toolName, views } = copilotCli.decode(call("write_bash", { shellId: "1", input: "rm x{enter}" }), "pre-tool");
  expect(toolName).toBe("write_bash");
  expect(views).toEqual([{ toolName: "Bash", aliases: ["bash"], input: { command: "rm x{enter}" } }]);
});

test.each([
  ["as text", "*** Begin Patch\n*** Delete File: a\n*** End Patch"],
  ["in a field", { input: "*** Begin Patch\n*** Delete File: a\n*** End Patch" }],
])("a patch %s is shown as the files that it touches", (_, toolArgs) => {
  expect(copilotCli.decode(call("apply_patch", toolArgs), "pre-tool").views).toMatchObject([
    { toolName: "Edit", input: { file_path: "/p/a" } },
  ]);
});

describe("after a call", () => {
  test("its result is the output", () => {
    const toolResult = { resultType: "success", textResultForLlm: "x" };
    expect(copilotCli.decode({ ...call("view"), toolResult }, "post-tool").rest).toMatchObject({ output: toolResult });
  });

  test("a failure is its error", () => {
    expect(copilotCli.decode({ ...call("view"), error: "gone" }, "post-tool").rest).toMatchObject({
      error: { name: "ToolError", message: "gone" },
    });
  });
});

test.each([
  ["with a result", { ...call("bash"), toolResult: {} }],
  ["with an error", { ...call("bash"), error: "x" }],
  ["without a tool", call("")],
  ["with a list as arguments", call("bash", [])],
  ["with arguments that are no JSON", call("bash", "{")],
  ["with arguments that are JSON, and no object", call("bash", "7")],
  ["with a patch that names no file", call("apply_patch", "nothing")],
  ["with a patch that isn't text", call("apply_patch", { input: 1 })],
])("an event from before a call %s is refused", (_, wire) => {
  expect(() => copilotCli.decode(wire, "pre-tool")).toThrow(BrokenEvent);
});

const say = (parts: Partial<Parameters<typeof copilotCli.encode>[0]>) =>
  copilotCli.encode({ action: "allow", reason: "", context: null, updatedInput: null, ...parts }).text;

test("no opinion is silence", () => {
  expect(say({})).toBe("");
});

test.each<[string, Parameters<typeof say>[0], object]>([
  ["a deny", { action: "deny", reason: "no" }, { permissionDecision: "deny", permissionDecisionReason: "no" }],
  ["an ask", { action: "ask", reason: "sure?" }, { permissionDecision: "ask", permissionDecisionReason: "sure?" }],
  ["a rewrite, which allows nothing", { updatedInput: '{"command":"ls"}' }, { modifiedArgs: { command: "ls" } }],
  ["context, which allows nothing", { context: "note" }, { additionalContext: "note" }],
  [
    "context beside a rewrite",
    { updatedInput: '{"command":"ls"}', context: "note" },
    { modifiedArgs: { command: "ls" }, additionalContext: "note" },
  ],
])("%s", (_, saying, answer) => {
  expect(JSON.parse(say(saying))).toEqual(answer);
});

test("a tool of an MCP server has the canonical names that it may have", () => {
  const namesOf = (tool: string) => copilotCli.decode(call(tool), "pre-tool").otherNames;
  expect(["my-db-run", "view", "read_bash"].map(namesOf)).toEqual([["mcp__my__db-run", "mcp__my-db__run"], [], []]);
});

test.each([
  ["powershell", { command: "rm x", input: "ls" }],
  ["write_powershell", { command: "ls", input: "rm x", shellId: "1" }],
])("a text for %s is a Bash that PowerShell reads", (toolName, toolArgs) => {
  const { views } = copilotCli.decode({ toolName, toolArgs, cwd: "/p" }, "pre-tool");
  expect(views).toEqual([{ toolName: "Bash", aliases: [], input: { command: "rm x" }, shell: "powershell" }]);
});
