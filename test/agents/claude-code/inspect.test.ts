import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { inspectClaudeSettings } from "../../../src/agents/claude-code/inspect.ts";
import { temporaryFolder } from "../../support/cards.ts";

function inspect(settings: unknown) {
  const file = path.join(temporaryFolder(), "settings.json");
  if (settings !== undefined) {
    fs.writeFileSync(file, typeof settings === "string" ? settings : JSON.stringify(settings, null, 2));
  }
  return inspectClaudeSettings({ file, isOurs: (command) => command.startsWith("drwn-hook") });
}

const OURS = { type: "command", command: "drwn-hook pre", timeout: 60, onFailure: "block" };
const OTHER = { type: "command", command: "echo theirs" };

test("settings that are absent hold nothing, and hinder nothing", () => {
  expect(inspect(undefined)).toEqual({
    exists: false,
    disablesAllHooks: false,
    shellPrefix: null,
    minimalBy: null,
    env: {},
    ours: [],
    faults: [],
    unreadable: null,
  });
});

test.each([
  [{ disableAllHooks: true }, true],
  [{ disableAllHooks: false }, false],
  [{ disableAllHooks: "true" }, false],
  [{}, false],
  ["", false],
])("whether all hooks are disabled is read from %j", (settings, disabled) => {
  expect(inspect(settings)).toMatchObject({ exists: true, disablesAllHooks: disabled, unreadable: null });
});

test("entries of ours are found wherever they are, as they are", () => {
  const { ours, faults } = inspect({
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [OTHER, OURS] }, { hooks: [{ ...OURS, timeout: 5 }] }],
      Stop: [{ hooks: [{ type: "command", command: "drwn-hook stop" }] }],
    },
  });
  expect(faults).toEqual([]);
  expect(ours).toEqual([
    { event: "PreToolUse", matcher: "Bash", command: "drwn-hook pre", timeout: 60, onFailure: "block" },
    { event: "PreToolUse", matcher: undefined, command: "drwn-hook pre", timeout: 5, onFailure: "block" },
    {
      event: "Stop",
      matcher: undefined,
      command: "drwn-hook stop",
      timeout: undefined,
      onFailure: undefined,
    },
  ]);
});

test.each<[string, unknown, string]>([
  ["an event that is no list", {}, "a list of groups"],
  ["a group that isn't an object", ["x"], "a group to be an object"],
  ["a group without handlers", [{ matcher: "Bash" }], "`hooks` of a group to be a list"],
  ["a matcher that is null", [{ matcher: null, hooks: [OTHER] }], "`matcher` to be text, or absent"],
  ["a matcher that is a list", [{ matcher: ["Bash"], hooks: [OTHER] }], "`matcher` to be text, or absent"],
  ["a handler that is a text", [{ hooks: ["echo"] }], "a handler to be an object"],
  ["a handler without a type", [{ hooks: [{ command: "echo" }] }], "`type` to be one of agent, command,"],
  ["a handler of an unknown type", [{ hooks: [{ type: "shell", command: "echo" }] }], "`type` to be one of"],
  ["a type that is found in prototypes", [{ hooks: [{ type: "constructor" }] }], "`type` to be one of"],
  ["a command handler without a command", [{ hooks: [{ type: "command" }] }], "`command` to be text"],
  ["an http handler without an address", [{ hooks: [{ type: "http" }] }], "`url` to be text"],
  ["a prompt handler without a prompt", [{ hooks: [{ type: "prompt", prompt: 1 }] }], "`prompt` to be text"],
  ["a tool handler without a tool", [{ hooks: [{ type: "mcp_tool", server: "s" }] }], "`tool` to be text"],
  ["a timeout that is a text", [{ hooks: [{ ...OTHER, timeout: "60" }] }], "`timeout` to be a number above 0"],
  ["a timeout of 0", [{ hooks: [{ ...OTHER, timeout: 0 }] }], "`timeout` to be a number above 0"],
  ["a timeout that is null", [{ hooks: [{ ...OTHER, timeout: null }] }], "`timeout` to be a number above 0"],
  [
    "an unknown answer to failures",
    [{ hooks: [{ ...OTHER, onFailure: "deny" }] }],
    '`onFailure` to be "continue" or "block"',
  ],
])("what makes Claude Code drop the hooks of an event is found: %s", (_, groups, expected) => {
  const good = [{ hooks: [OURS] }];
  const { faults, ours, unreadable } = inspect({ hooks: { PostToolUse: groups, PreToolUse: good } });
  expect(faults).toEqual([
    expect.objectContaining({ event: "PostToolUse", expected: expect.stringContaining(expected) }),
  ]);
  expect(ours).toHaveLength(1);
  expect(unreadable).toBeNull();
});

test("a fault is named with its line and column, or those of what should hold it", () => {
  const text = '{\n  "hooks": {\n    "Stop": [\n      { "matcher": null },\n      { "hooks": [] }\n    ]\n  }\n}\n';
  expect(inspect(text).faults.map(({ line, column }) => [line, column])).toEqual([
    [4, 20],
    [4, 7],
  ]);
});

test.each<[string, unknown]>([
  ["fractions of a second", [{ hooks: [{ ...OTHER, timeout: 0.5 }] }]],
  ["unknown fields", [{ owner: "ops", hooks: [{ ...OTHER, id: 7 }] }]],
  ["an answer to failures where none is read", [{ hooks: [{ type: "prompt", prompt: "?", onFailure: "x" }] }]],
  ["an empty matcher, an empty group, an empty event", [{ matcher: "", hooks: [] }]],
])("what Claude Code takes is no fault: %s", (_, groups) => {
  expect(inspect({ hooks: { PreToolUse: groups, Stop: [] } }).faults).toEqual([]);
});

test("what stands under a name that Claude Code ignores is no fault", () => {
  expect(inspect({ hooks: { PreToolUSE: "x", "//": null } }).faults).toEqual([]);
});

test("hooks that aren't an object are a fault of the whole file", () => {
  expect(inspect({ hooks: [] }).faults).toEqual([
    { event: null, line: 2, column: 12, expected: "`hooks` to be an object" },
  ]);
});

test.each(['{ "a": 1, }', "[]", "// mine\n{}", '{"a": 1, "a": 2}'])(
  "a file that cannot be read says where: %s",
  (text) => {
    expect(inspect(text).unreadable).toMatch(/settings\.json, line 1, column \d+: expected /u);
  },
);
