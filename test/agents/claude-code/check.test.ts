import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter.ts";
import { checkManagedSettings, managedFolder } from "../../../src/agents/claude-code/managed.ts";
import { checkClaudeVersion, readClaudeVersion } from "../../../src/agents/claude-code/program.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

describe("settings that manage the machine", () => {
  test.each([
    ["allowManagedHooksOnly", { "managed-settings.json": '{"allowManagedHooksOnly": true}' }],
    ["disableAllHooks", { "managed-settings.json": '{"disableAllHooks": true}' }],
    ["allowManagedHooksOnly", { "managed-settings.d/20-hooks.json": '{"allowManagedHooksOnly": true}' }],
  ])("with `%s` are an error that names the file", (name, tree) => {
    const folder = writeTree(temporaryFolder(), tree);
    const [finding, ...more] = checkManagedSettings(folder);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      code: "hooks-managed",
      severity: "error",
      subject: path.join(folder, ...Object.keys(tree)),
    });
    expect(finding?.message).toContain(name);
  });

  test.each([
    ["nothing", {}],
    [
      "switches that are off",
      { "managed-settings.json": '{"allowManagedHooksOnly": false, "disableAllHooks": "true"}' },
    ],
    [
      "other files",
      { "managed-settings.d/.hidden.json": '{"disableAllHooks": true}', "managed-settings.d/a.txt": "x" },
    ],
  ])("that hold %s hinder nothing", (_, tree) => {
    expect(checkManagedSettings(writeTree(temporaryFolder(), tree))).toEqual([]);
  });

  test("that cannot be read are said", () => {
    const folder = writeTree(temporaryFolder(), { "managed-settings.json": "{" });
    expect(checkManagedSettings(folder)).toMatchObject([{ code: "settings-unreadable" }]);
  });

  test("have a place on Linux and macOS", () => {
    expect([managedFolder("linux"), managedFolder("darwin"), managedFolder("win32")]).toEqual([
      "/etc/claude-code",
      "/Library/Application Support/ClaudeCode",
      undefined,
    ]);
  });
});

/** A `claude` that says this of itself. */
function programThat(says: string): Record<string, string> {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, "claude"), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  return { PATH: folder };
}

describe("the version of the program", () => {
  test.each([
    ["echo '2.1.329 (Claude Code)'", [2, 1, 329]],
    ["echo '2.1.294'", [2, 1, 294]],
    ["echo 'Claude Code, sometime'", undefined],
    ["exit 3", undefined],
    ["echo 9999999999.1.1", undefined],
  ])("is read from what `%s` says", async (says, version) => {
    expect(await readClaudeVersion(programThat(says))).toEqual(version);
  });

  test("is not known where the program is not on PATH", async () => {
    expect(await readClaudeVersion({ PATH: temporaryFolder() })).toBeUndefined();
  });

  test.each([
    [[2, 1, 294], true],
    [[1, 9, 999], true],
    [[2, 0, 300], true],
    [[2, 1, 295], false],
    [[2, 2, 0], false],
    [[3, 0, 0], false],
  ] as const)("%j is outdated: %s", (version, isOutdated) => {
    expect(checkClaudeVersion(version).map(({ code }) => code)).toEqual(isOutdated ? ["agent-outdated"] : []);
  });
});

describe("an event of Claude Code", () => {
  const base = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: "/p" };

  test("inside a subagent names it in the metadata", () => {
    const wire = { ...base, agent_id: "a1", agent_type: "Explore", tool_use_id: "t" };
    expect(claudeCode.decode(wire, "pre-tool").rest["metadata"]).toEqual({
      agent_id: "a1",
      agent_type: "Explore",
      tool_use_id: "t",
    });
  });

  test("about a tool of an MCP server keeps its name, and says whose it is", () => {
    const wire = { ...base, tool_name: "mcp__db__query", mcp_server: { name: "db", source: "project" } };
    const { toolName, rest } = claudeCode.decode(wire, "pre-tool");
    expect([toolName, rest["metadata"]]).toEqual(["mcp__db__query", { mcp_server: { name: "db", source: "project" } }]);
  });

  test("of a failed call has its error, and no output", () => {
    const wire = { ...base, hook_event_name: "PostToolUseFailure", error: "Exit code 1", is_interrupt: false };
    const { rest } = claudeCode.decode(wire, "post-tool");
    expect(rest).toEqual({
      cwd: "/p",
      error: { name: "ToolError", message: "Exit code 1" },
      metadata: { is_interrupt: false },
    });
  });
});
