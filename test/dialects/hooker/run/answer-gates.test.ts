import { describe, expect, test } from "vitest";
import { bash, hookerWorld, policy, prompt, write } from "../world.ts";

const BASH = 'on :PreToolUse, tool: "Bash"';

describe("a gate", () => {
  test("that matches denies with its message, and ends with 0", () => {
    const { send } = hookerWorld(policy("No push", `${BASH}, match: "push"`, 'gate "not here"'));
    expect(send(bash("git push"))).toMatchObject({
      exitCode: 0,
      stderr: "",
      answer: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not here" },
    });
    expect(send(bash("ls"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("without a message names its policy", () => {
    const { send } = hookerWorld(policy("No push", BASH, "gate"));
    expect(send(bash("x")).answer).toMatchObject({ permissionDecisionReason: "Blocked by policy: No push" });
  });

  test("that is declared first answers, and nothing else is done", () => {
    const rules = [
      policy("add", BASH, 'inject "A.md"'),
      policy("one", BASH, 'gate "first"'),
      policy("two", BASH, 'gate "second"'),
    ];
    const { send } = hookerWorld({ "policies.rb": rules.join(""), "A.md": "a" });
    expect(send(bash("x")).answer).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "first",
    });
  });
});

describe("on", () => {
  const cases: [text: string, on: string, event: object, isMatch: boolean][] = [
    ["another event", "on :PreToolUse", prompt("x"), false],
    ["a prompt that matches", 'on :UserPromptSubmit, match: "secret"', prompt("the secret"), true],
    ["a prompt that does not", 'on :UserPromptSubmit, match: "secret"', prompt("nothing"), false],
    ["no event at all", "", prompt("x"), true],
    ["the event as a text", 'on "PreToolUse"', bash("x"), true],
    ["one of several tools", 'on :PreToolUse, tool: "Edit|Write"', write("/a"), true],
    ["a tool of another name", 'on :PreToolUse, tool: "Edit|Write"', bash("x"), false],
    ["a tool that only begins so", 'on :PreToolUse, tool: "Bas"', bash("x"), false],
    ["a tool by a literal with a flag", "on :PreToolUse, tool: /bash/i", bash("x"), true],
    ["another field", 'on :PreToolUse, tool: "Write", match: "py$", match_field: :content', write("/a", "x.py"), true],
    [
      "another field that does not match",
      'on :PreToolUse, match: "py$", match_field: "content"',
      write("/a.py"),
      false,
    ],
    ["match_field without match", "on :PreToolUse, match_field: :content", write("/a"), true],
    ["a literal", "on :PreToolUse, match: /push.*--force/", bash("git push --force"), true],
    ["a literal whose flag is lost", "on :PreToolUse, match: /push/i", bash("git PUSH"), false],
    ["a flag inside of the pattern", "on :PreToolUse, match: /(?i)push/", bash("git PUSH"), true],
    ["a constant", "on :PreToolUse, match: :git_push", bash("git -C /a push"), true],
    ["a constant as a text", 'on :PreToolUse, match: ":git_push"', bash("git push"), true],
    ["a constant in another command", "on :PreToolUse, match: :git_reset", bash('git commit -m "reset things"'), false],
    ["a file of this name", 'on :PreToolUse, file: ".env"', write("/app/.env"), true],
    ["a file of a longer name", 'on :PreToolUse, file: ".env"', write("/app/.environment"), false],
    ["a file whose name ends so", 'on :PreToolUse, file: ".env"', write("/app/X.env"), false],
    ["a file in a folder", 'on :PreToolUse, file: "config/a.yml"', write("/app/config/a.yml"), true],
    ["a file in another folder", 'on :PreToolUse, file: "config/a.yml"', write("/app/myconfig/a.yml"), false],
    ["a file by a literal", "on :PreToolUse, file: /\\.env/", write("/app/.env.local"), true],
    ["file beside match", 'on :PreToolUse, file: "a", match: "zzz"', write("/a"), true],
    ["file on a call without one", "on :PreToolUse, file: /rm -rf/", bash("rm -rf /"), true],
    ["an absent field: the whole input", 'on :PreToolUse, match: "^.\\"x\\":1,"', toolCall({ x: 1, y: 2 }), true],
    ["a number", 'on :PreToolUse, match: "^5$"', toolCall({ command: 5 }), true],
    [
      "a list, as Ruby shows it",
      'on :PreToolUse, match: "^.1, nil, .a.=>true"',
      toolCall({ command: [1, null] }),
      false,
    ],
    ["a record in a list", 'on :PreToolUse, match: "=>true"', toolCall({ command: [{ a: true }] }), true],
    ["null: the whole input", 'on :PreToolUse, match: "null"', toolCall({ command: null }), true],
    ["no name of a tool", 'on :PreToolUse, tool: ""', { hook_event_name: "PreToolUse" }, true],
    ["the line's begin", 'on :PreToolUse, match: "^push$"', bash("git\npush\nx"), true],
    ["the text's begin", "on :PreToolUse, match: /\\Apush\\z/", bash("git\npush"), false],
    ["any other event", "on :PostToolUse", { hook_event_name: "PostToolUse", tool_name: "Bash" }, true],
  ];
  test("decides for each policy whether it is for the event", () => {
    const rules = cases.map(([name, on]) => policy(name, on, 'inject "A.md"'));
    const { send } = hookerWorld({ "policies.rb": rules.join(""), "A.md": "a" });
    const matched = new Map<string, string[]>();
    for (const [name, , event, isMatch] of cases) {
      const key = JSON.stringify(event);
      const names = matched.get(key) ?? namesIn(send(event).answer["additionalContext"]);
      matched.set(key, names);
      expect([name, names.includes(name)]).toEqual([name, isMatch]);
    }
  });
});

function namesIn(context: unknown): string[] {
  return /<hooker:matched>(.*)<\/hooker:matched>/u.exec(String(context))?.[1]?.split(", ") ?? [];
}

function toolCall(tool_input: object): object {
  return { hook_event_name: "PreToolUse", tool_name: "Other", tool_input };
}
