import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  commands,
  matchConstants,
  type On,
  type PolicyParts,
  type PromptParts,
  policy,
} from "../../src/helpers/index.ts";
import type { ToolPolicyEvent } from "../../src/policy/event.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

function event(toolName: string, input?: unknown): ToolPolicyEvent {
  return { runtime: "claude-code", phase: "pre-tool", toolName, ...(input === undefined ? {} : { input }) };
}

const ON_PROMPT = { event: "UserPromptSubmit" } as const;
const bash = (command: unknown) => event("Bash", { command });

/** What a policy of these parts decides. */
async function decide(parts: PolicyParts, call: ToolPolicyEvent): Promise<unknown> {
  return await policy("x", parts).beforeToolCall?.(call);
}

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

describe("a transform", () => {
  const write = event("Write", { file_path: "/a.py", content: "print(1)" });

  test("puts the model's answer into the matched field, and keeps the others", async () => {
    const call = event("Bash", { command: "git commit -m x", timeout: 5 });
    const model = () => "  git commit -m 'fix: x'\n";
    expect(await decide({ transform: { prompt: "mend", model } }, call)).toEqual({
      action: "allow",
      updatedInput: { command: "git commit -m 'fix: x'", timeout: 5 },
    });
  });

  test("puts it into the field that is named", async () => {
    const parts: PolicyParts = {
      on: { file: /\.py$/ },
      transform: { prompt: "x", field: "content", model: async () => "#\nprint(1)" },
    };
    expect(await decide(parts, write)).toMatchObject({ updatedInput: { file_path: "/a.py", content: "#\nprint(1)" } });
  });

  test("asks with context, input and instructions", async () => {
    const asked: string[] = [];
    const model = ({ prompt }: { prompt: string }) => {
      asked.push(prompt);
      return "x";
    };
    const context = [
      { name: "A.md", text: "a" },
      { name: "B.md", text: "b" },
    ];
    await decide({ transform: { prompt: "Rewrite it.", context, model } }, bash("ls"));
    expect(asked).toEqual([
      [
        "<context>\n<A.md>\na\n</A.md>\n\n<B.md>\nb\n</B.md>\n</context>",
        '<current_input>\n{\n  "command": "ls"\n}\n</current_input>',
        "<instructions>\nRewrite it.\n</instructions>",
        "Return ONLY the transformed value. No explanation, no markdown fencing.",
      ].join("\n\n"),
    ]);
  });

  test.each([
    ["```bash\nls -l\n```", "ls -l"],
    ["```\nls -l\n```\n", "ls -l"],
    ["\nls -l\n\n", "ls -l"],
  ])("takes the fence off %j", async (answer, expected) => {
    const decision = await decide({ transform: { prompt: "x", model: () => answer } }, bash("ls"));
    expect(decision).toMatchObject({ updatedInput: { command: expected } });
  });

  test("has no opinion when the answer changes nothing", async () => {
    expect(await decide({ transform: { prompt: "x", model: () => "ls\n" } }, bash("ls"))).toBeUndefined();
  });

  test.each<[string, () => unknown, string]>([
    ["answers nothing", () => " \n", "the model answered nothing"],
    ["answers an empty fence", () => "```\n```", "the model answered nothing"],
    ["answers no text", () => 7, "the model's answer is no text"],
    ["fails", () => Promise.reject(new Error("no tokens left")), "no tokens left"],
  ])("throws when its model %s", async (_, model, message) => {
    await expect(decide({ transform: { prompt: "x", model: model as () => string } }, bash("ls"))).rejects.toThrow(
      message,
    );
  });

  test("throws when there is no input to rewrite", async () => {
    await expect(decide({ transform: { prompt: "x", model: () => "y" } }, event("Bash", "ls"))).rejects.toThrow(
      "no fields",
    );
  });
});

describe("an inject", () => {
  test("adds texts between tags of their names", async () => {
    const files = [
      { name: "A.md", text: "a\n" },
      { name: "B.md", text: "b" },
    ];
    expect(await decide({ inject: { files } }, bash("ls"))).toEqual({
      action: "allow",
      additionalContext: "<A.md>\na\n\n</A.md>\n\n<B.md>\nb\n</B.md>",
    });
  });

  test("reads files by path, and names them without their folders", async () => {
    const folder = writeTree(temporaryFolder(), { "docs/RULES.md": "be kind" });
    expect(await decide({ inject: { files: path.join(folder, "docs/RULES.md") } }, bash("ls"))).toEqual({
      action: "allow",
      additionalContext: "<RULES.md>\nbe kind\n</RULES.md>",
    });
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ["is missing", () => {}, /ENOENT/u],
    ["is a folder", (file) => fs.mkdirSync(file), /EISDIR/u],
    ["is no text", (file) => fs.writeFileSync(file, "a\0b"), /is no text/u],
    [
      "is too large",
      (file) => fs.writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, 32)),
      /is larger than 1048576 bytes/u,
    ],
  ])("throws when its file %s", async (_, make, message) => {
    const file = path.join(temporaryFolder(), "A.md");
    make(file);
    await expect(decide({ inject: { files: [file] } }, bash("ls"))).rejects.toThrow(message);
  });

  test("adds what a command prints, which reads what was matched", async () => {
    expect(await decide({ inject: { command: "tr a-z A-Z; echo !" } }, bash("ls -l"))).toEqual({
      action: "allow",
      additionalContext: "LS -L!",
    });
  });

  test("has no opinion when there is nothing to add", async () => {
    expect(await decide({ inject: { command: "true" } }, bash("ls"))).toBeUndefined();
  });

  test("throws when its command fails, and says how", async () => {
    const failing = decide({ inject: { command: "echo broken >&2; exit 3" } }, bash("ls"));
    await expect(failing).rejects.toThrow("`/bin/sh` ended with 3: broken");
  });

  test("throws when its command is late", async () => {
    const late = decide({ inject: { command: "exec sleep 60" }, timeoutMs: 200 }, bash("ls"));
    await expect(late).rejects.toThrow("`/bin/sh` did not finish in time");
  });

  test("throws when its command prints without end", async () => {
    await expect(decide({ inject: { command: "yes" } }, bash("ls"))).rejects.toThrow("printed more than");
  });
});

describe("a condition", () => {
  const gate = (model: unknown) =>
    decide(
      { on: { match: "x" }, whenPrompt: { condition: "is it odd?", model: model as () => boolean }, gate: "no" },
      bash("x y"),
    );

  test("lets the policy apply, or not", async () => {
    expect(await gate(() => true)).toEqual({ action: "deny", reason: "no" });
    expect(await gate(async () => false)).toBeUndefined();
  });

  test("is asked with the condition and what was matched", async () => {
    const asked: unknown[] = [];
    await gate((request: unknown) => asked.push(request) > 0);
    expect(asked).toEqual([{ condition: "is it odd?", input: "x y", event: bash("x y") }]);
  });

  test("is not asked where the pattern does not match", async () => {
    const whenPrompt = { condition: "x", model: () => expect.fail("asked") };
    expect(await decide({ on: { match: "z" }, whenPrompt, gate: "no" }, bash("x y"))).toBeUndefined();
  });

  test("throws for an answer that is neither", async () => {
    await expect(gate(() => "yes")).rejects.toThrow("neither true nor false");
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
    ["a constant in hooker's spelling", { on: { match: ":git_push" }, gate: "a" }, "use matchConstants.git_push"],
    ["a broken pattern", { on: { match: "(" }, gate: "a" }, "`match` is no regular expression"],
    ["a broken tool", { on: { tool: "*" }, gate: "a" }, "`tool` is no regular expression"],
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

describe("commands(event)", () => {
  test("lists programs, arguments, redirections and who starts them", () => {
    expect(commands(bash(`sudo -u me /bin/rm -rf "a b" 2> err && echo $x`))).toEqual([
      {
        program: "sudo",
        path: "sudo",
        arguments: ["-u", "me", "/bin/rm", "-rf", "a b"],
        redirections: [{ operator: ">", target: "err", descriptor: "2" }],
        startedBy: [],
      },
      {
        program: "rm",
        path: "/bin/rm",
        arguments: ["-rf", "a b"],
        redirections: [{ operator: ">", target: "err", descriptor: "2" }],
        startedBy: ["sudo"],
      },
      { program: "echo", path: "echo", arguments: ["$x"], redirections: [], startedBy: [] },
    ]);
  });

  test("gives the text of a here-document", () => {
    expect(commands(bash("cat <<-'A B' > out\n\tx $y\n\tA B\n"))).toMatchObject([
      {
        program: "cat",
        redirections: [
          { operator: "<<-", target: "A B", body: "x $y\n" },
          { operator: ">", target: "out" },
        ],
      },
    ]);
  });

  test("is empty for a call without a shell text", () => {
    expect([commands(event("Read", { file_path: "a" })), commands(event("Bash"))]).toEqual([[], []]);
  });

  test.each(["echo 'a", "ls )", "( ls", "a=(", "case x in a) ls", "echo $(", `${"$(".repeat(60)}ls${")".repeat(60)}`])(
    "throws for what cannot be read: %j",
    (text) => {
      expect(() => commands(bash(text))).toThrow();
    },
  );

  test.each([
    ["parentheses", "("],
    ["arithmetic", "(("],
    ["substitutions", "$("],
    ["arithmetic in words", "$(("],
    ["braces", "x${y:-"],
    ["quotes in substitutions", '"$('],
    ["here-documents", "cat <<A <<B\n"],
    ["patterns", "@("],
    ["branches", "case x in a) "],
    ["backquotes", "`"],
    ["backslashes", "\\"],
  ])("comes to an end on a hundred thousand %s", (_, text) => {
    const many = `git ; ${text.repeat(100_000)}`;
    expect([true, false]).toContain(matchConstants.git_push.matches(many));
  });

  test("reads a long text in time that grows with its length", () => {
    const text = 'cd a && git status | grep -v "x y" > out # it\'s\n'.repeat(4000);
    expect(commands(bash(text))).toHaveLength(12_000);
  });
});
