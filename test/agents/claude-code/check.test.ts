import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter.ts";
import { checkClaudeVersion, readClaudeVersion } from "../../../src/agents/claude-code/ask.ts";
import { checkManagedSettings, findManagedEntry, managedPaths } from "../../../src/agents/claude-code/managed.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const HANDLER = { type: "command", command: "ours", timeout: 60, onFailure: "block" };

const LOCK = "strictPluginOnlyCustomization";

/** What doctor says of a machine that is managed by these files. */
function checkMachine(tree: Record<string, string>, sealed: readonly string[] = []) {
  const folder = writeTree(temporaryFolder(), tree);
  const places = {
    files: [path.join(folder, "managed-settings.json"), path.join(folder, "remote-settings.json")],
    folders: [path.join(folder, "managed-settings.d")],
    sealed: sealed.map((name) => path.join(folder, name)),
  };
  const entry = findManagedEntry(places, [{ event: "PreToolUse", value: { matcher: "Bash", hooks: [HANDLER] } }]);
  const check = () => checkManagedSettings(places, entry !== null);
  return { folder, check, entry, findings: check() };
}

const ENTRY = { PreToolUse: [{ hooks: [HANDLER] }] };

describe("settings that manage the machine", () => {
  test.each([
    ["allowManagedHooksOnly", { "managed-settings.json": '{"allowManagedHooksOnly": true}' }],
    ["disableAllHooks", { "managed-settings.json": '{"disableAllHooks": true}' }],
    ["allowManagedHooksOnly", { "managed-settings.d/20-hooks.json": '{"allowManagedHooksOnly": true}' }],
    ["allowManagedHooksOnly", { "remote-settings.json": '{"allowManagedHooksOnly": true}' }],
    ["disableAllHooks", { "managed-settings.json": JSON.stringify({ disableAllHooks: true, hooks: ENTRY }) }],
    [LOCK, { "managed-settings.json": JSON.stringify({ [LOCK]: true }) }],
    [LOCK, { "managed-settings.json": JSON.stringify({ [LOCK]: ["hooks"] }) }],
  ])("with `%s` are an error that names the file", (name, tree) => {
    const { folder, findings } = checkMachine(tree);
    const [finding, ...more] = findings;
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      code: "hooks-managed",
      severity: "error",
      subject: path.join(folder, ...Object.keys(tree)),
    });
    expect(finding?.message).toContain(name);
  });

  test.each<[string, Record<string, string>]>([
    ["nothing", {}],
    [
      "switches that are off",
      { "managed-settings.json": '{"allowManagedHooksOnly": false, "disableAllHooks": "true"}' },
    ],
    [
      "other files",
      { "managed-settings.d/.hidden.json": '{"disableAllHooks": true}', "managed-settings.d/a.txt": "x" },
    ],
    [
      "`allowManagedHooksOnly` and drwn's entry",
      {
        "managed-settings.json": '{"allowManagedHooksOnly": true}',
        "managed-settings.d/drwn.json": JSON.stringify({ hooks: ENTRY }),
      },
    ],
  ])("that hold %s hinder nothing", (_, tree) => {
    expect(checkMachine(tree).findings).toEqual([]);
  });

  test.each<[string, string, object | null]>([
    ["the entry as it should be", "managed-settings.d/a.json", ENTRY],
    ["it for more tools, among others", "managed-settings.json", { Stop: 5, PreToolUse: [5, { hooks: [5, HANDLER] }] }],
    ["it for these tools", "managed-settings.d/a.json", { PreToolUse: [{ matcher: "Bash", hooks: [HANDLER] }] }],
    ["it for other tools", "no", { PreToolUse: [{ matcher: "Read", hooks: [HANDLER] }] }],
    ["it with another time", "no", { PreToolUse: [{ hooks: [{ ...HANDLER, timeout: 0.001 }] }] }],
    ["it under a condition", "no", { PreToolUse: [{ hooks: [{ ...HANDLER, if: "Bash(git *)" }] }] }],
    ["it on another event", "no", { PostToolUse: [{ hooks: [HANDLER] }] }],
    ["no hooks", "no", null],
  ])("that have %s are found in %s file", (_, name, hooks) => {
    const file = name === "no" ? "managed-settings.json" : name;
    const { folder, entry } = checkMachine({ [file]: JSON.stringify({ hooks }) });
    expect(entry).toBe(name === "no" ? null : path.join(folder, name));
  });

  test("that a server sent hold no entry: a user can write them", () => {
    expect(checkMachine({ "remote-settings.json": JSON.stringify({ hooks: ENTRY }) }).entry).toBeNull();
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["is no JSON", { "managed-settings.json": "{" }, []],
    ["leaves it to a program", { "managed-settings.json": '{"policyHelper": "/usr/local/bin/policy"}' }, []],
    ["is a profile", { "com.anthropic.claudecode.plist": "bplist00" }, ["com.anthropic.claudecode.plist"]],
  ])("of which one %s are not known, and that is said", (_, tree, sealed) => {
    const { folder, findings } = checkMachine(tree, sealed);
    expect(findings).toMatchObject([
      { code: "settings-unreadable", severity: "warning", subject: path.join(folder, ...Object.keys(tree)) },
    ]);
    expect(findings[0]?.message).toContain("is not known");
  });

  test("that lie where nobody may look are not known, and that is said", () => {
    const { folder, check } = checkMachine({ "managed-settings.json": "{}", "managed-settings.d/a.json": "{}" });
    // A link to itself cannot be followed by anybody, whoever runs this.
    for (const name of ["managed-settings.json", "managed-settings.d"]) {
      fs.rmSync(path.join(folder, name), { recursive: true });
      fs.symlinkSync(name, path.join(folder, name));
    }
    expect(check().map(({ code, subject }) => [code, path.basename(subject)])).toEqual([
      ["settings-unreadable", "managed-settings.d"],
      ["settings-unreadable", "managed-settings.json"],
    ]);
  });

  test("have their places on Linux and macOS, and beside the user's own", () => {
    const machine = { user: "ann", configFolder: "/c" };
    expect(managedPaths({ ...machine, platform: "linux" })).toEqual({
      files: ["/etc/claude-code/managed-settings.json", "/c/remote-settings.json"],
      folders: ["/etc/claude-code/managed-settings.d"],
      sealed: [],
    });
    const preferences = "/Library/Managed Preferences";
    expect(managedPaths({ ...machine, platform: "darwin" })).toMatchObject({
      folders: ["/Library/Application Support/ClaudeCode/managed-settings.d"],
      sealed: [`${preferences}/com.anthropic.claudecode.plist`, `${preferences}/ann/com.anthropic.claudecode.plist`],
    });
    expect(managedPaths({ ...machine, platform: "win32" })).toEqual({
      files: ["/c/remote-settings.json"],
      folders: [],
      sealed: [],
    });
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
    [[1, 0, 3], "error"],
    [[2, 1, 138], "error"],
    [[2, 1, 294], "error"],
    [[2, 1, 295], undefined],
    [[2, 2, 0], undefined],
    [[3, 0, 0], undefined],
  ] as const)("%j is outdated: %s", (version, severity) => {
    const findings = checkClaudeVersion(version).map((finding) => [finding.code, finding.severity]);
    expect(findings).toEqual(severity === undefined ? [] : [["agent-outdated", severity]]);
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

  test.each(["tool_response", "tool_result"])("has what the call gave, where the agent calls it %s", (field) => {
    const wire = { ...base, hook_event_name: "PostToolUse", [field]: { stdout: "fine" } };
    expect(claudeCode.decode(wire, "post-tool").rest).toMatchObject({ output: { stdout: "fine" }, metadata: {} });
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
