import { expect, test } from "vitest";
import { opencode } from "../../../src/agents/opencode/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const call = (tool: unknown, args: unknown = {}) => ({
  event: "tool.execute.before",
  tool,
  args,
  directory: "/p",
  sessionID: "s",
  callID: "c",
});

test("a shell call is one of Bash, and answers to its own name", () => {
  const event = opencode.decode(call("bash", { command: "ls" }), "pre-tool");
  expect(event).toMatchObject({ toolName: "Bash", aliases: ["bash"], input: { command: "ls" }, views: [] });
  expect(event.rest).toEqual({ cwd: "/p", sessionId: "s", metadata: { callID: "c", tool: "bash" } });
});

test("a patch is shown as the files that it touches", () => {
  const patchText = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  expect(opencode.decode(call("apply_patch", { patchText }), "pre-tool").views).toEqual([
    { toolName: "Write", aliases: ["Edit"], input: { file_path: "/p/a", content: "x" } },
  ]);
});

test("a file that is sent to a person is read", () => {
  expect(opencode.decode(call("send_file", { path: ".env" }), "pre-tool")).toMatchObject({
    toolName: "send_file",
    views: [{ toolName: "Read", aliases: [], input: { file_path: ".env" } }],
  });
});

test("after a call its result is the output", () => {
  const output = { title: "", output: "x", metadata: {} };
  const { rest } = opencode.decode({ ...call("read"), event: "tool.execute.after", output }, "post-tool");
  expect(rest).toMatchObject({ output });
});

test.each([
  ["of the other phase", { ...call("bash"), event: "tool.execute.after" }],
  ["of no phase", { ...call("bash"), event: 7 }],
  ["without a tool", call("")],
  ["with a list as args", call("bash", [])],
  ["with a patch that names no file", call("apply_patch", { patchText: "nothing" })],
  ["with a patch that isn't text", call("patch", {})],
])("an event %s is refused", (_, wire) => {
  expect(() => opencode.decode(wire, "pre-tool")).toThrow(BrokenEvent);
});

test.each([
  ["no opinion", {}, ""],
  ["context, which it cannot carry", { context: "note" }, ""],
  ["a deny", { action: "deny", reason: 'no "x"' }, '{"deny":"no \\"x\\""}\n'],
  ["a rewrite", { updatedInput: '{"command":"ls"}' }, '{"args":{"command":"ls"}}\n'],
] as const)("%s is said so that the plugin understands it", (_, parts, text) => {
  expect(opencode.encode({ action: "allow", reason: "", context: null, updatedInput: null, ...parts }).text).toBe(text);
});

test("a tool of an MCP server has the canonical names that it may have, a patch has none", () => {
  const namesOf = (tool: string) => {
    const args = { patchText: "*** Begin Patch\n*** Delete File: a\n*** End Patch" };
    return opencode.decode(call(tool, args), "pre-tool").otherNames;
  };
  expect(["my_db_run", "websearch", "apply_patch"].map(namesOf)).toEqual([
    ["mcp__my__db_run", "mcp__my_db__run"],
    [],
    [],
  ]);
});
