import { expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

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

/** As Claude Code sends it to an entry whose matcher doesn't fit `Bash` alone. */
const call = (tool_name: string, tool_input: object) => ({ hook_event_name: "PreToolUse", tool_name, tool_input });

test.each(["pre-tool", "post-tool"] as const)("%s: a Monitor that runs a command is a Bash", (phase) => {
  const hook_event_name = phase === "pre-tool" ? "PreToolUse" : "PostToolUse";
  const input = { command: "rm -rf build", description: "clean", timeout_ms: 1 };
  const event = claudeCode.decode({ ...call("Monitor", input), hook_event_name }, phase);
  expect(event).toMatchObject({ toolName: "Bash", aliases: ["Monitor"], input, views: [], isDivided: false });
  expect(event.rest).toMatchObject({ metadata: { tool_name: "Monitor" } });
});

test("a shell line of a skill is a Bash that can only be denied", () => {
  const sent = {
    hook_event_name: "PreSkillShellCommand",
    tool_name: "Bash",
    tool_input: { command: "cat .env" },
    command_name: "today",
    invoked_by: "claude",
  };
  const { toolName, input, isOnlyDeniable, rest } = claudeCode.decode(sent, "pre-tool");
  expect([toolName, input, isOnlyDeniable]).toEqual(["Bash", { command: "cat .env" }, true]);
  expect(rest["metadata"]).toMatchObject({ command_name: "today", invoked_by: "claude" });
  expect(() => claudeCode.decode(sent, "post-tool")).toThrow(BrokenEvent);
});

test("a Monitor that opens a socket is a WebFetch of its address", () => {
  const { toolName, views } = claudeCode.decode(call("Monitor", { ws: { url: "wss://x/?t=1" } }), "pre-tool");
  expect([toolName, views]).toEqual([
    "Monitor",
    [{ toolName: "WebFetch", aliases: [], input: { url: "wss://x/?t=1" } }],
  ]);
});

test.each([
  ["PowerShell", { command: "Remove-Item x" }, "Remove-Item x", "powershell"],
  ["REPL", { code: "await Bash('x')" }, "await Bash('x')", "javascript"],
  ["REPL", { command: "1", code: "await Bash('x')" }, "1\nawait Bash('x')", "javascript"],
  ["Eval", { code: "1" }, "1", "javascript"],
  ["JavaScript", { code: "1" }, "1", "javascript"],
  ["Tmux", { keys: "x" }, "x", "tmux"],
  ["Tmux", { args: ["send-keys", "x"] }, '{"args":["send-keys","x"]}\nsend-keys\nx', "tmux"],
  ["Tmux", { command: "send-keys", args: ["-t", "a", "rm -rf ~"] }, "send-keys\n-t\na\nrm -rf ~", "tmux"],
  ["mcp__ide__executeCode", { code: "import os" }, "import os", "python"],
])("policies for Bash are asked about the text that %s runs, and what reads it", (tool, input, command, shell) => {
  const { toolName, views, isDivided } = claudeCode.decode(call(tool, input), "pre-tool");
  // Nobody rewrites it as if it were for a shell.
  expect([toolName, isDivided]).toEqual([tool, true]);
  expect(views).toEqual([{ toolName: "Bash", aliases: [], input: { command }, shell }]);
});

test.each([
  ["NotebookEdit", { notebook_path: "/p/a.ipynb", new_source: "x" }, "Edit", ["/p/a.ipynb"]],
  ["MultiEdit", { file_path: "/p/a", edits: [{ old_string: "1", new_string: "2" }, {}] }, "Edit", ["/p/a", "/p/a"]],
  ["SendUserFile", { files: [".env", "/p/b"] }, "Read", [".env", "/p/b"]],
  ["Artifact", { file_path: "/p/.env" }, "Read", ["/p/.env"]],
  ["Artifact", { action: "upload_asset", file_paths: ["/p/.env"] }, "Read", ["/p/.env"]],
  ["Projects", { method: "project_write", local_path: ".env" }, "Read", [".env"]],
  ["LSP", { operation: "hover", filePath: "/p/.env" }, "Read", ["/p/.env"]],
  ["ReadMcpResourceTool", { server: "s", uri: "file:///p/%2eenv" }, "Read", ["/p/.env"]],
  ["ReadMcpResourceTool", { server: "s", uri: "db://p/.env" }, "Read", []],
])("%s %j is a call of %s for the files that it names", (tool, input, toolName, files) => {
  const { views } = claudeCode.decode(call(tool, input), "pre-tool");
  expect(views.map((view) => [view.toolName, view.input])).toEqual(
    files.map((file_path) => [toolName, expect.objectContaining({ file_path })]),
  );
});
