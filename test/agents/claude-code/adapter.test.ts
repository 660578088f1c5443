import { expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter/calls.ts";
import { BrokenEvent } from "../../../src/hot/read-input.ts";

const PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: /b\n*** End Patch";

/** As Copilot CLI sends it, which reads the entry of Claude Code in a project. */
const edit = (tool_input: unknown) => ({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input, cwd: "/p" });

test.each([
  ["a text", PATCH],
  ["a field", { input: PATCH }],
])("an Edit that is a patch, as %s, is shown as the files that it touches", (_, sent) => {
  const { toolName, input, views, rest } = claudeCode.decode(edit(sent), "pre-tool");
  expect([toolName, input]).toEqual(["apply_patch", { input: PATCH }]);
  expect(views).toMatchObject([
    { toolName: "Write", aliases: ["Edit"], input: { file_path: "/p/a", content: "x" } },
    { toolName: "Edit", aliases: ["Write"], input: { file_path: "/b" } },
  ]);
  expect(rest).toMatchObject({ metadata: { tool_name: "Edit", tool_input: sent } });
});

test.each([
  { file_path: "/a", old_string: "x", new_string: "y" },
  { path: "/a", old_str: "x", new_str: "y", input: PATCH },
])("an Edit of a file is one, whatever else it has: %j", (sent) => {
  expect(claudeCode.decode(edit(sent), "pre-tool")).toMatchObject({ toolName: "Edit", input: sent, views: [] });
});

test.each(["", "no patch", 7, ["x"]])("an Edit that is %j cannot be judged", (sent) => {
  expect(() => claudeCode.decode(edit(sent), "pre-tool")).toThrow(BrokenEvent);
});

test("a tool of an MCP server, as Copilot CLI names it, has the canonical names that it may have", () => {
  const namesOf = (tool_name: string) => claudeCode.decode({ tool_name, tool_input: {} }, "pre-tool").otherNames;
  expect(["my-db-run", "mcp__my-db__run", "Bash"].map(namesOf)).toEqual([
    ["mcp__my__db-run", "mcp__my-db__run"],
    [],
    [],
  ]);
});
