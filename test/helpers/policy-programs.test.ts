import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { PolicyParts } from "../../src/helpers/index.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { bash, decide, event } from "./calls.ts";

describe("a transform", () => {
  const write = event("Write", { file_path: "/a.py", content: "print(1)" });

  test("puts the model's answer into the matched field, and keeps the others", async () => {
    const call = event("Bash", { command: "git commit -m x", timeout: 5 });
    const model = () => "  git commit -m 'fix: x'\n";
    expect(await decide({ transform: { prompt: "fix", model } }, call)).toEqual({
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
    ["answers no text", () => 7, "the model's answer isn't text"],
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
    ["isn't text", (file) => fs.writeFileSync(file, "a\0b"), /isn't text/u],
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
