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
  ["a command that is no text", { command: ["ls"] }],
])("a call with %s cannot be judged, and throws", (_, input) => {
  expect(() => inputOf(call("Bash", input), "Bash")).toThrow(TypeError);
});
