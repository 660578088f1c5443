import { expect, test } from "vitest";
import { armHome } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

const says = "{ beforeToolCall: ({ input }) => ({ action: 'deny', reason: 'of the shell: ' + input.command }) }";
const skill = ".claude/skills/tidy/SKILL.md";

test.each([
  ["Write", { file_path: skill, content: "Look at !`rm -rf ~` first" }],
  ["Write", { file_path: "/home/me/.claude/commands/tidy.md", content: "```!\nrm -rf ~\n```\n" }],
  ["Edit", { file_path: skill, old_string: "a", new_string: "!`rm -rf ~`" }],
  ["MultiEdit", { file_path: skill, edits: [{ old_string: "a", new_string: "!`rm -rf ~`" }] }],
  ["mcp__files__write", { path: skill, content: "!`rm -rf ~`" }],
  ["Write", { file_path: ".gemini/commands/tidy.toml", content: 'prompt = "!{rm -rf ~}"' }],
])("what a skill runs by itself is judged as a call of the shell when %s writes it: %o", (tool_name, tool_input) => {
  const armed = armHome([{ policy: says, match: "^Bash$" }]);
  const result = armed.call({ tool_name, tool_input });
  expect(verdictOf(result)).toBe("deny");
  expect(reasonOf(result)).toContain("of the shell: rm -rf ~");
});

test.each([
  ["Write", { file_path: skill, content: "Never run `rm -rf ~`!" }],
  ["Write", { file_path: "docs/tidy.md", content: "!`rm -rf ~`" }],
  ["Write", { file_path: ".claude/commands/tidy.md", content: "if (!{a}) {}" }],
])("nothing else is: %s, %o", (tool_name, tool_input) => {
  const armed = armHome([{ policy: says, match: "^Bash$" }]);
  expect(verdictOf(armed.call({ tool_name, tool_input }))).toBe("silence");
});

test("policies know the home of the person", () => {
  const armed = armHome([{ policy: "{ beforeToolCall: ({ home }) => ({ action: 'deny', reason: 'at ' + home }) }" }]);
  expect(reasonOf(armed.call({}, { env: { HOME: "/var/home/me" } }))).toContain("at /var/home/me");
});
