import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { armHome, write } from "../support/armed-home.ts";

const DENY = `{ beforeToolCall() { return { action: "deny", reason: "no" }; } }`;

/** As Copilot CLI sends it to an entry of Claude Code in a project's settings: measured with 1.0.102. */
const OF_COPILOT = { timestamp: "2026-11-21T16:04:19.038Z", transcript_path: undefined, tool_use_id: undefined };
const OF_CURSOR = { conversation_id: "c", generation_id: "g", cursor_version: "2.0", workspace_roots: [] };

test.each([
  ["Copilot CLI", OF_COPILOT, '{"runtimes":["claude-code","copilot-cli"]}'],
  ["Cursor", OF_CURSOR, '{"runtimes":["claude-code","cursor"]}'],
  ["a program that nobody knows", { ...OF_COPILOT, timestamp: undefined }, '{"runtimes":["claude-code"]}'],
])("the entry of Claude Code judges a call of %s, whatever other entries there should be", (_, event, written) => {
  const armed = armHome([{ policy: DENY }]);
  write(layout.written(armed.home, armed.key), written);
  const { status, said } = armed.call(event);
  expect([status, said?.hookSpecificOutput?.permissionDecision]).toEqual([0, "deny"]);
});

test("the entry of Copilot CLI itself judges the same call", () => {
  const armed = armHome([{ policy: DENY }]);
  write(layout.written(armed.home, armed.key), '{"runtimes":["copilot-cli"]}');
  const input = JSON.stringify({ toolName: "bash", toolArgs: { command: "ls" }, cwd: armed.project });
  const { stdout } = armed.call({}, { runtime: "copilot-cli", input });
  expect(JSON.parse(stdout).permissionDecision).toBe("deny");
});
