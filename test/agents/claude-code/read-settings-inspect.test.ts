import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { inspectClaudeSettings } from "../../../src/agents/claude-code/read-settings.ts";
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
  const { ours } = inspect({
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [OTHER, OURS] }, { hooks: [{ ...OURS, timeout: 5 }] }],
      Stop: [{ hooks: [{ type: "command", command: "drwn-hook stop" }] }],
    },
  });
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

test.each(['{ "a": 1, }', "[]", "// mine\n{}", '{"a": 1, "a": 2}'])(
  "a file that cannot be read says where: %s",
  (text) => {
    expect(inspect(text).unreadable).toMatch(/settings\.json, line 1, column \d+: expected /u);
  },
);
