import { describe, expect, test } from "vitest";
import { matchConstants, type On, type PolicyParts, type PromptParts, policy } from "../../src/helpers/index.ts";
import type { ToolPolicyEvent } from "../../src/policy/event.ts";
import { bash, decide, event } from "./calls.ts";

const ON_PROMPT = { event: "UserPromptSubmit" } as const;
describe("a policy applies to", () => {
  test.each<[string, On, ToolPolicyEvent, boolean]>([
    ["every call when nothing is said", {}, event("Read", { file_path: "a" }), true],
    ["a call without input", {}, event("Read"), true],
    ["the tool that is named", { tool: "Bash" }, bash("ls"), true],
    ["no tool of a longer name", { tool: "Bash" }, event("BashOutput"), false],
    ["no tool of another case", { tool: "bash" }, bash("ls"), false],
    ["tools that are listed", { tool: "Edit|Write" }, event("Write"), true],
    ["the whole name in a list", { tool: "Edit|Write" }, event("MultiEdit"), false],
    ["tools of a regular expression", { tool: /mcp__.*__delete/ }, event("mcp__x__delete"), true],
    [
      "the whole name, of a regular expression as well",
      { tool: /mcp__.*__delete/ },
      event("mcp__x__delete_all"),
      false,
    ],
    ["a tool without regard to case", { tool: /bash/i }, bash("ls"), true],
    ["text anywhere in the command", { match: /push/ }, bash("git push origin"), true],
    ["text in a pattern that is a string", { match: "push.*--force" }, bash("git push a --force"), true],
    ["no other text", { match: "push.*--force" }, bash("git push"), false],
    ["a pattern with its flags", { match: /RM/i }, bash("rm"), true],
    ["each call anew, with a pattern that remembers", { match: /a/g }, bash("a"), true],
    ["what a constant means", { match: matchConstants.git_push }, bash("git -C x push"), true],
    ["no mention of it", { match: matchConstants.git_push }, bash("echo 'git push'"), false],
    ["any of several", { match: [matchConstants.git_push, "^x$"] }, bash("git -C x push"), true],
    ["the other of several", { match: [matchConstants.git_push, /push/] }, bash("echo 'git push'"), true],
    ["none of several", { match: [matchConstants.git_push, /pull/] }, bash("echo 'git push'"), false],
    [
      "the words of an agent that sends words",
      { match: matchConstants.git_push },
      bash(["bash", "-lc", "git push"]),
      true,
    ],
    ["words with blanks in them", { match: matchConstants.git_push }, bash(["echo", "x; git push"]), false],
    ["each tool's own field", { match: "secret" }, event("Grep", { pattern: "secret" }), true],
    ["no other field of it", { match: "secret" }, event("Grep", { path: "secret", pattern: "x" }), false],
    ["a notebook by its path", { match: /\.ipynb$/ }, event("NotebookEdit", { notebook_path: "/a.ipynb" }), true],
    [
      "the field that is named",
      { match: "TODO", matchField: "content" },
      event("Write", { file_path: "a", content: "TODO" }),
      true,
    ],
    ["all of the input where there is no such field", { match: "TODO" }, event("Write", { text: "TODO" }), true],
    [
      "all of the input of a tool nobody knows",
      { match: /"query":"drop/ },
      event("mcp__db__run", { query: "drop" }),
      true,
    ],
    ["numbers and lists as JSON", { match: /^\[1,2\]$/, matchField: "n" }, event("X", { n: [1, 2] }), true],
    ["a file of exactly this name", { file: ".env" }, event("Write", { file_path: "/app/.env" }), true],
    ["a file without folders before it", { file: ".env" }, event("Write", { file_path: ".env" }), true],
    ["a file below a folder of Windows", { file: ".env" }, event("Write", { file_path: "C:\\app\\.env" }), true],
    ["no file of a longer name", { file: ".env" }, event("Write", { file_path: "/app/.environment" }), false],
    ["no file that ends like it", { file: ".env" }, event("Write", { file_path: "/app/X.env" }), false],
    ["no file that a dot would match", { file: ".env" }, event("Write", { file_path: "/app/xenv" }), false],
    ["the end of a path", { file: "config/prod.yml" }, event("Edit", { file_path: "/a/config/prod.yml" }), true],
    ["no other folder", { file: "config/prod.yml" }, event("Edit", { file_path: "/a/xconfig/prod.yml" }), false],
    ["a path by a regular expression", { file: /\.env/ }, event("Edit", { file_path: "/a/.env.local" }), true],
    ["a file as Copilot CLI names it", { file: ".env" }, event("Write", { path: "/app/.env", file_text: "" }), true],
    ["a file as OpenCode names it", { file: ".env" }, event("Edit", { filePath: "/app/.env" }), true],
    ["a file behind another one", { file: ".env" }, event("Write", { file_path: "/a", path: "/.env" }), true],
    ["what dots come to", { file: "config/prod.yml" }, event("Edit", { path: "/a/config/x/../prod.yml" }), true],
    [
      "content as Copilot CLI names it",
      { match: /^x$/, matchField: "content" },
      event("Write", { file_text: "x" }),
      true,
    ],
    ["tool and file together", { tool: "Write", file: ".env" }, event("Read", { file_path: ".env" }), false],
  ])("%s", async (_, on, call, expected) => {
    const gate = policy("x", { on, gate: "no" });
    for (let again = 0; again < 3; again++) {
      expect((await gate.beforeToolCall?.(call)) !== undefined).toBe(expected);
    }
  });
});

describe("a policy's matcher", () => {
  test.each<[string, On["tool"], string | undefined]>([
    ["is the name", "Bash", "Bash"],
    ["is the list", "Edit|Write", "Edit|Write"],
    ["is a glob where one says the same", "mcp__github__.*", "mcp__github__*"],
    ["comes from a regular expression, too", /Edit|Write/, "Edit|Write"],
    ["is left out where no glob says the same", "mcp__(a|b)", undefined],
    ["is left out for letters that repeat", "Bas*h", undefined],
    ["is left out where case does not count", /bash/i, undefined],
    ["is left out for a dot that is any character", "B.sh", undefined],
    ["is left out for more stars than one may have", "a.*b.*c.*d.*e.*", undefined],
    ["is left out without a tool", undefined, undefined],
  ])("%s", (_, tool, expected) => {
    expect(policy("x", { on: tool === undefined ? {} : { tool }, gate: "no" }).matcher).toBe(expected);
  });
});

describe("a gate", () => {
  test("denies with its reason, at once", () => {
    expect(policy("x", { gate: "not here" }).beforeToolCall?.(bash("ls"))).toEqual({
      action: "deny",
      reason: "not here",
    });
  });

  test.each([true, "", "  "] as const)("without a reason names the policy: %j", async (gate) => {
    expect(await decide({ gate }, bash("ls"))).toEqual({ action: "deny", reason: "Blocked by policy: x" });
  });

  test("enforces unless it is told otherwise, with the time that is given", () => {
    expect(policy("x", { gate: "no" })).toEqual({ policyKind: "enforcement", beforeToolCall: expect.any(Function) });
    expect(policy("x", { gate: "no", policyKind: "observer", timeoutMs: 900 })).toMatchObject({
      policyKind: "observer",
      timeoutMs: 900,
    });
  });
});

describe("a policy that cannot mean what is written is refused, by its name:", () => {
  test.each<[string, unknown, string]>([
    ["nothing to do", { on: {} }, "it needs one of `gate`, `transform` and `inject`, and no more"],
    ["two things to do", { gate: "a", inject: { files: [] } }, "it needs one of"],
    [
      "an event that hooker has not",
      { on: { event: "Stop" }, gate: "a" },
      "`Stop` is neither PreToolUse nor UserPromptSubmit",
    ],
    ["a rewritten prompt", { on: ON_PROMPT, transform: { prompt: "x" } }, "`transform` is for tool calls"],
    ["a prompt of a tool", { on: { ...ON_PROMPT, tool: "Bash" }, gate: "a" }, "`tool` is for tool calls"],
    ["a prompt with nothing to do", { on: ON_PROMPT }, "it needs one of `gate` and `inject`"],
    ["a constant that does not exist", { on: { match: undefined }, gate: "a" }, "`match` is empty"],
    ["an empty pattern", { on: { match: "" }, gate: "a" }, "`match` is empty"],
    ["no pattern at all", { on: { match: [] }, gate: "a" }, "`match` is empty"],
    ["an empty one of several", { on: { match: ["a", ""] }, gate: "a" }, "`match` is empty"],
    ["a constant in hooker's spelling", { on: { match: ":git_push" }, gate: "a" }, "use matchConstants.git_push"],
    ["a broken pattern", { on: { match: "(" }, gate: "a" }, "`match` isn't a regular expression"],
    ["a broken tool", { on: { tool: "*" }, gate: "a" }, "`tool` isn't a regular expression"],
    ["file and match", { on: { file: "a", match: "b" }, gate: "a" }, "`file` stands in place of `match`"],
    ["file and matchField", { on: { file: "a", matchField: "b" }, gate: "a" }, "`file` stands in place of `match`"],
  ])("%s", (_, parts, message) => {
    expect(() => policy("Guard", parts as PolicyParts)).toThrow(`policy "Guard": `);
    expect(() => policy("Guard", parts as PolicyParts)).toThrow(message);
  });
});

describe("a policy for prompts", () => {
  const prompt = (text: string) =>
    ({ runtime: "claude-code", event: "prompt.submit", input: { prompt: text } }) as const;
  const answer = async (parts: PromptParts, text: string) => await policy("p", parts).run(prompt(text));

  test("is a lifecycle hook, and its kind says how failures count", () => {
    expect(policy("p", { on: ON_PROMPT, gate: true })).toMatchObject({ event: "prompt.submit", onFailure: "block" });
    expect(policy("p", { on: ON_PROMPT, gate: true, policyKind: "observer", timeoutMs: 9 })).toMatchObject({
      onFailure: "proceed",
      timeoutMs: 9,
    });
  });

  test("rejects what it matches, and says nothing of the rest", async () => {
    const parts: PromptParts = { on: { ...ON_PROMPT, match: /drop\s+table/i }, gate: "no" };
    expect(await answer(parts, "DROP TABLE x")).toEqual({ action: "reject", reason: "no" });
    expect(await answer(parts, "hello")).toBeUndefined();
    expect(await answer({ on: ON_PROMPT, gate: true }, "x")).toEqual({
      action: "reject",
      reason: "Blocked by policy: p",
    });
  });

  test("adds a text of the card, once the classifier says that it fits", async () => {
    const files = { name: "PANEL.md", text: "Alice" };
    const parts = (fires: boolean): PromptParts => ({
      on: ON_PROMPT,
      whenPrompt: { condition: "design", model: ({ input, event }) => fires && input === event.input.prompt },
      inject: { files },
    });
    expect(await answer(parts(true), "redesign")).toEqual({
      action: "proceed",
      additionalContext: "<PANEL.md>\nAlice\n</PANEL.md>",
    });
    expect(await answer(parts(false), "redesign")).toBeUndefined();
  });
});
