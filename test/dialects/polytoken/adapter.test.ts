import { afterEach, expect, test, vi } from "vitest";
import { polytoken } from "../../../src/dialects/polytoken/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const call = (tool_name: string, more: object = {}) => ({
  event: "pre_tool_use",
  matcher_subject: tool_name,
  tool_name,
  input: { path: "a.md" },
  session_id: "s",
  ...more,
});

test.each([
  ["shell_exec", "Bash"],
  ["file_read", "Read"],
  ["file_edit_search_replace", "Edit"],
  ["file_edit_insert", "Edit"],
])("%s is a call of %s, and answers to its own name", (own, canonical) => {
  expect(polytoken.decode(call(own), "pre-tool")).toMatchObject({
    toolName: canonical,
    aliases: [own],
    input: { path: "a.md" },
    views: [],
    rest: { sessionId: "s", metadata: { matcher_subject: own, tool_name: own } },
  });
});

test("a tool of an MCP server has one name", () => {
  const name = "mcp__skywatch-mcp__ozone_label";
  expect(polytoken.decode(call(name), "pre-tool")).toMatchObject({ toolName: name, aliases: [] });
});

test("a tool that failed has an error, and one that did not has none", () => {
  const after = (event: string, more: object = {}) => polytoken.decode(call("x", { event, ...more }), "post-tool").rest;
  expect(after("post_tool_use", { output: "o" })).toMatchObject({ output: "o" });
  expect(after("post_tool_use")["error"]).toBeUndefined();
  expect(after("post_tool_use_failure")["error"]).toEqual({ name: "ToolError", message: "the tool failed" });
  expect(after("post_tool_use_failure", { error: "gone" })["error"]).toMatchObject({ message: "gone" });
  expect(after("post_tool_use_failure", { error: { code: 1 } })["error"]).toMatchObject({ message: '{"code":1}' });
});

afterEach(() => vi.unstubAllEnvs());

test("its event names no folder: the environment does, and a folder that the event does name counts more", () => {
  vi.stubEnv("POLYTOKEN_PROJECT_DIR", "/home/me/shop");
  expect(polytoken.decode(call("shell_exec"), "pre-tool").rest["cwd"]).toBe("/home/me/shop");
  expect(polytoken.decode(call("shell_exec", { cwd: "/srv" }), "pre-tool").rest["cwd"]).toBe("/srv");
});

test.each([
  ["of the other phase", call("x", { event: "post_tool_use" })],
  ["that is not about a tool", call("x", { event: "stop" })],
  ["that is none", call("x", { event: undefined })],
  ["without a tool", call("")],
  ["with a list as its input", call("x", { input: [] })],
])("an event %s is refused", (_, wire) => {
  expect(() => polytoken.decode(wire, "pre-tool")).toThrow(BrokenEvent);
});

test("silence lets a tool run, and all else denies it with its reason", () => {
  const say = (action: "allow" | "ask" | "deny") =>
    polytoken.encode({ action, reason: "no", context: "dropped", updatedInput: null });
  expect(say("allow")).toEqual({ text: "", effective: "allow" });
  for (const action of ["ask", "deny"] as const) {
    expect(say(action)).toEqual({ text: '{"outcome":"deny","reason":"no"}\n', effective: "deny" });
  }
});
