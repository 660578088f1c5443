import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand } from "../../src/materialize/launcher.ts";
import { armHome, write } from "../support/armed-home.ts";

const DENY = `{ beforeToolCall() { return { action: "deny", reason: "no" }; } }`;

/** As Copilot CLI sends it to an entry of Claude Code in a project's settings: measured with 1.0.102. */
const OF_COPILOT = { timestamp: "2026-11-21T16:04:19.038Z", transcript_path: undefined, tool_use_id: undefined };
const OF_CURSOR = { conversation_id: "c", generation_id: "g", cursor_version: "2.0", workspace_roots: [] };

test.each([
  ["Copilot CLI, which has an entry of its own", OF_COPILOT, '{"runtimes":["claude-code","copilot-cli"]}', ""],
  ["Copilot CLI, which has none", OF_COPILOT, '{"runtimes":["claude-code"]}', "deny"],
  ["Copilot CLI, where nothing is known", OF_COPILOT, null, "deny"],
  ["Copilot CLI, where the record is damaged", OF_COPILOT, '{"runtimes":', "deny"],
  ["Copilot CLI, where the record names no list", OF_COPILOT, '{"runtimes":"copilot-cli"}', "deny"],
  ["Cursor, which has an entry of its own", OF_CURSOR, '{"runtimes":["cursor"]}', ""],
  ["Claude Code, beside agents that have entries", {}, '{"runtimes":["claude-code","copilot-cli","cursor"]}', "deny"],
])("the entry of Claude Code, called by %s", (_, event, written, expected) => {
  const armed = armHome([{ policy: DENY }]);
  if (written !== null) write(layout.written(armed.home, armed.key), written);
  const { status, said } = armed.call(event);
  expect([status, said?.hookSpecificOutput?.permissionDecision ?? ""]).toEqual([0, expected]);
  expect(armed.journal()).toHaveLength(expected === "" ? 0 : 1);
});

test("the entry of Copilot CLI itself judges the same call", () => {
  const armed = armHome([{ policy: DENY }]);
  write(layout.written(armed.home, armed.key), '{"runtimes":["copilot-cli"]}');
  const input = JSON.stringify({ toolName: "bash", toolArgs: { command: "ls" }, cwd: armed.project });
  const { stdout } = armed.run(hookCommand({ home: armed.home, runtime: "copilot-cli", phase: "pre" }), { input });
  expect(JSON.parse(stdout).permissionDecision).toBe("deny");
});
