import { expect, test } from "vitest";
import { mastra } from "../../../src/agents/mastra/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const call = (tool_name: string, tool_input: unknown) => ({
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
  cwd: "/p",
});

test.each([
  ["ast_edit", { path: "a.ts", pattern: "x", replacement: "y" }, ["x", "y"]],
  ["ast_edit", { path: "a.ts", transform: "rename" }, ["", ""]],
  ["delete", { path: "a.ts", recursive: true }, ["", ""]],
])("%s of a workspace is shown as an edit of its file: %j", (name, input, [old_string, new_string]) => {
  const { toolName, views, rest } = mastra.decode(call(`mastra_workspace_${name}`, input), "pre-tool");
  expect(toolName).toBe(`mastra_workspace_${name}`);
  expect(views).toEqual([
    { toolName: "Edit", aliases: ["Write"], input: { file_path: "a.ts", old_string, new_string } },
  ]);
  expect(rest).toMatchObject({ metadata: { tool_input: input } });
});

test.each(["ast_edit", "delete"])("%s without a path cannot be judged", (name) => {
  expect(() => mastra.decode(call(`mastra_workspace_${name}`, {}), "pre-tool")).toThrow(BrokenEvent);
});

test("a program of `execute_typescript` is shown as a command that no POSIX shell reads", () => {
  const { views } = mastra.decode(call("execute_typescript", { code: "return 1" }), "pre-tool");
  expect(views).toEqual([{ toolName: "Bash", aliases: [], input: { command: "return 1" }, shell: "javascript" }]);
});

test("a tool of the app is what the app calls it", () => {
  expect(mastra.decode(call("delete", { path: 1 }), "pre-tool")).toMatchObject({ toolName: "delete", views: [] });
});

test("a tool of an MCP server has the canonical names that it may have", () => {
  const namesOf = (tool: string) => mastra.decode(call(tool, { path: "x" }), "pre-tool").otherNames;
  expect(namesOf("my_db_run")).toEqual(["mcp__my__db_run", "mcp__my_db__run"]);
  for (const tool of ["mastra_workspace_lsp", "mastra_workspace_read_file", "agent-my_clerk", "workflow-a_b"])
    expect(namesOf(tool)).toEqual([]);
});
