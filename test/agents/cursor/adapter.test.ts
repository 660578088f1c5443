import { describe, expect, test } from "vitest";
import { cursor } from "../../../src/agents/cursor/adapter.ts";
import { cursorTarget } from "../../../src/agents/cursor/target.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";
import type { PolicyTrigger } from "../../../src/wiring/target.ts";
import { armHome } from "../../support/armed-home.ts";
import { planFor } from "../plan.ts";

const call = (tool_name: unknown, tool_input: unknown = {}) => ({
  hook_event_name: "preToolUse",
  conversation_id: "c",
  generation_id: "g",
  workspace_roots: ["/p"],
  tool_name,
  tool_input,
});

test("a shell call is one of Bash, in the first folder of the workspace", () => {
  const event = cursor.decode(call("Shell", { command: "ls" }), "pre-tool");
  expect(event).toMatchObject({ toolName: "Bash", aliases: ["Shell"], input: { command: "ls" }, views: [] });
  expect(event.rest).toEqual({
    cwd: "/p",
    sessionId: "c",
    metadata: { generation_id: "g", workspace_roots: ["/p"], tool_name: "Shell" },
  });
});

test("a folder that the event names comes first", () => {
  expect(cursor.decode({ ...call("Read"), cwd: "/q" }, "pre-tool").rest).toMatchObject({ cwd: "/q" });
});

test("after a call there are its result and its failure", () => {
  const result = { ...call("Read"), hook_event_name: "postToolUse", tool_output: "x" };
  expect(cursor.decode(result, "post-tool").rest).toMatchObject({ output: "x" });
  const failed = { ...call("Read"), hook_event_name: "postToolUseFailure", error_message: "gone" };
  expect(cursor.decode(failed, "post-tool").rest).toMatchObject({ error: { name: "ToolError", message: "gone" } });
});

test.each([
  ["of the other phase", { ...call("Shell"), hook_event_name: "postToolUse" }],
  ["that is not about a tool", { ...call("Shell"), hook_event_name: "stop" }],
  ["without a tool", call("")],
  ["with a list as its input", call("Shell", [])],
])("an event %s is refused", (_, wire) => {
  expect(() => cursor.decode(wire, "pre-tool")).toThrow(BrokenEvent);
});

test("a deny tells the model and the person; everything else is silence", () => {
  const say = (action: "allow" | "deny") =>
    cursor.encode({ action, reason: "no", context: null, updatedInput: null }).text;
  expect(say("allow")).toBe("");
  expect(JSON.parse(say("deny"))).toEqual({ permission: "deny", user_message: "no", agent_message: "no" });
});

describe("the entry in ~/.cursor/hooks.json", () => {
  function planned(own: PolicyTrigger[], parts?: Parameters<typeof planFor>[2]) {
    const { file, text } = planFor(cursorTarget, own, parts);
    return { file, ...JSON.parse(text) };
  }

  test("fails closed before a call", () => {
    const { file, version, hooks } = planned([{ matcher: "Bash", phases: ["pre-tool", "post-tool"] }]);
    expect([file, version]).toEqual(["/home/me/.cursor/hooks.json", 1]);
    expect(Object.keys(hooks)).toEqual(["preToolUse", "postToolUse", "postToolUseFailure"]);
    expect(hooks.preToolUse).toEqual([
      { command: expect.stringContaining("cursor pre"), timeout: 60, failClosed: true },
    ]);
    expect(hooks.postToolUse[0].failClosed).toBeUndefined();
  });

  test("finds the project by CURSOR_PROJECT_DIR, since it is started in Cursor's own folder", () => {
    const armed = armHome([{ policy: `{ beforeToolCall() { return { action: "deny", reason: "no" }; } }` }]);
    const { hooks } = planned([{ matcher: null, phases: ["pre-tool"] }], { home: armed.world, drwnHome: armed.home });
    const { stdout } = armed.run(hooks.preToolUse[0].command, {
      cwd: armed.world,
      env: { CLAUDE_PROJECT_DIR: "", CURSOR_PROJECT_DIR: armed.project },
      input: JSON.stringify(call("Shell", { command: "ls" })),
    });
    expect(JSON.parse(stdout)).toMatchObject({ permission: "deny" });
  });

  test("doctor says that nobody tried it", async () => {
    const host = { cwd: "/p", home: "/home/me", env: {}, drwnHome: "/d" };
    const findings = await cursorTarget.check({ host, root: "/p", file: "/home/me/.cursor/hooks.json" });
    expect(findings).toMatchObject([{ code: "agent-untested", severity: "warning" }]);
  });
});
