import { expect, test } from "vitest";
import type { ToolPolicyEvent } from "../../src/policy/event.ts";
import { inputOf } from "../../src/policy/index.ts";

const call = (toolName: string, input: unknown): ToolPolicyEvent => ({
  runtime: "codex",
  phase: "pre-tool",
  toolName,
  input,
});

test.each([
  ["Claude Code and Codex", { file_path: "/a", content: "x", other: 1 }],
  ["OpenCode", { filePath: "/a", content: "x" }],
  ["Copilot", { path: "/a", file_text: "x" }],
])("the fields of a write are the same, spelt as %s does", (_, input) => {
  expect(inputOf(call("Write", input), "Write")).toEqual({ file_path: "/a", content: "x" });
});

test("a call of another tool has no such input", () => {
  expect(inputOf(call("Bash", { command: "ls" }), "Write")).toBeUndefined();
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", "ls"],
  ["no command", {}],
  ["a command that isn't text", { command: ["ls"] }],
])("a call with %s cannot be judged, and throws", (_, input) => {
  expect(() => inputOf(call("Bash", input), "Bash")).toThrow(TypeError);
});

test.each([
  ["as it is", "/a/b", "/a/b"],
  ["from the folder of the call", "b", "/p/b"],
  ["without dots", "./x/../../q//b/", "/q/b"],
  ["never above the root", "../../../b", "/b"],
  ["without a meaning for a tilde", "~/b", "/p/~/b"],
])("a path is absolute: %s", (_, path, file_path) => {
  expect(inputOf({ ...call("Read", { path }), cwd: "/p" }, "Read")).toEqual({ file_path });
});

test("a relative path stays one where nobody says from where it counts", () => {
  expect(inputOf(call("Read", { path: "a/../b" }), "Read")).toEqual({ file_path: "a/../b" });
});

test.each([
  ["a path under two names that differ", { path: "/secret", file_path: "/open" }],
  ["a path under two names, one of which isn't text", { path: "/secret", file_path: ["/secret"] }],
  ["a path with a NUL", { file_path: "/sec\0ret" }],
])("a call with %s cannot be judged, and throws", (_, input) => {
  expect(() => inputOf(call("Read", input), "Read")).toThrow(TypeError);
});

test("a path under two names that say the same is one", () => {
  expect(inputOf(call("Read", { path: "/a", file_path: "/a" }), "Read")).toEqual({ file_path: "/a" });
});
