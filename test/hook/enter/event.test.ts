import os from "node:os";
import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { sweep } from "../../support/sweep.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const event = (fields: string) =>
  `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}${fields}}`;

const broken: [name: string, input: string | Buffer, says: string][] = [
  ["empty", "", "is empty"],
  ["only white space", "  \n", "is not JSON"],
  ["not JSON", "tool_name=Bash", "is not JSON"],
  ["cut off", event("").slice(0, -4), "is not JSON"],
  ["two documents", `${event("")}${event("")}`, "is not JSON"],
  ["behind a byte order mark", `\ufeff${event("")}`, "is not JSON"],
  ["null", "null", "isn't a JSON object"],
  ["a list", `[${event("")}]`, "isn't a JSON object"],
  ["a text", `"Bash"`, "isn't a JSON object"],
  ["20 MB", event(`,"more":"${"x".repeat(20_000_000)}"`), "is larger than 16777216 bytes"],
  ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x80]), "is not JSON"],
  ["without tool_name", `{"tool_input":{}}`, "has no tool_name"],
  ["with an empty tool_name", `{"tool_name":"","tool_input":{}}`, "has no tool_name"],
  ["with a tool_name that isn't text", `{"tool_name":["Bash"],"tool_input":{}}`, "has no tool_name"],
  ["with a tool_name in __proto__", `{"__proto__":{"tool_name":"Bash"},"tool_input":{}}`, "has no tool_name"],
  ["without tool_input", `{"tool_name":"Bash"}`, "no object in tool_input"],
  ["with a tool_input that is a text", `{"tool_name":"Bash","tool_input":"ls"}`, "no object in tool_input"],
  ["with a tool_input that is a list", `{"tool_name":"Bash","tool_input":["ls"]}`, "no object in tool_input"],
  ["with a tool_input that is null", `{"tool_name":"Bash","tool_input":null}`, "no object in tool_input"],
  ["of another kind", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{}}`, "is of another kind"],
  ["of a kind that isn't text", `{"hook_event_name":{},"tool_name":"Bash","tool_input":{}}`, "is of another kind"],
  ["nested a hundred thousand deep", event(`,"more":${nested(100_000)}`), "is nested too deeply"],
];

const silent = "{ beforeToolCall() {}, afterToolCall() {} }";

describe.each(sweep(broken, 4))("an event that is %s", (_, input, says) => {
  test("is denied, with the reason, where a policy enforces", () => {
    const armed = armHome([{ policy: silent, match: "^Other$" }]);
    const result = armed.call({}, { input });
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain(says);
    expect(armed.journal()).toMatchObject([{ tool: null, verdict: "deny", problem: expect.stringContaining(says) }]);
  });
});

test.each<[string, Partial<LiteralPolicy>]>([
  ["only observes", { kind: "observer" }],
  ["enforces nothing before a call", { phases: ["post-tool"] }],
])("an event that can't be read is met with silence where a policy %s", (_name, fields) => {
  const armed = armHome([{ policy: silent, ...fields }]);
  // What is refused before it is parsed, as no JSON, and as no event.
  for (const name of ["empty", "20 MB", "cut off", "without tool_name"]) {
    const [, input] = broken.find(([one]) => one === name) ?? expect.fail(name);
    expect([name, verdictOf(armed.call({}, { input }))]).toEqual([name, "silence"]);
  }
});

test("a result that cannot be read is told to a person, where a guard would have judged the call", () => {
  const armed = armHome([{ policy: silent, capabilities: ["net"] }]);
  const { status, stdout, stderr } = armed.call({}, { input: "{", phase: "post" });
  expect([status, stdout, stderr]).toEqual([
    0,
    "",
    expect.stringContaining("the event that the agent sent is not JSON"),
  ]);
});

test("a guard of a tool is asked whatever the agent calls that, and who only listens hears of a call once", () => {
  const deny = `{ beforeToolCall: (event) => ({ action: "deny", reason: event.toolName }) }`;
  // Copilot CLI has `<server>-<tool>`, and either may have a dash in it.
  for (const name of ["a-b-c", "mcp__a__b-c", "mcp__a-b__c"]) {
    const armed = armHome([
      { policy: silent, kind: "observer", hook: "listens" },
      { policy: deny, match: `^${name}$` },
    ]);
    expect(reasonOf(armed.call({ tool_name: "a-b-c" }))).toBe(`[@me/guards#guard-1] ${name}`);
    expect(armed.journal()).toMatchObject([{ policies: { length: 2 } }]);
  }
});

test("a rewrite of one file of a patch is no call that could be made, and blocks", () => {
  const rewrites = `{ beforeToolCall: ({ input }) => ({ action: "allow", updatedInput: { ...input, content: "" } }) }`;
  const armed = armHome([{ policy: rewrites, match: "^Write$" }]);
  const patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch";
  const result = armed.call({ tool_name: "apply_patch", tool_input: { input: patch } });
  expect([verdictOf(result), reasonOf(result)]).toEqual(["deny", expect.stringContaining("judged in parts")]);
});

const echo = `{ beforeToolCall: (event) => ({ action: "deny", reason: JSON.stringify(event) }) }`;
const seen = (input: string | Buffer) =>
  JSON.parse(reasonOf(armHome([{ policy: echo }]).call({}, { input })).replace(/^\S+ /u, ""));

describe("an event that can be read", () => {
  test("is given to policies in the words of the SDK", () => {
    const armed = armHome([{ policy: echo }]);
    const result = armed.call({ permission_mode: "plan", hook_event_name: undefined });
    expect(JSON.parse(reasonOf(result).replace(/^\S+ /u, ""))).toEqual({
      runtime: "claude-code",
      phase: "pre-tool",
      home: os.homedir(),
      toolName: "Bash",
      input: { command: "ls" },
      cwd: armed.project,
      sessionId: "session-1",
      metadata: { transcript_path: "/dev/null", tool_use_id: "toolu_1", permission_mode: "plan" },
    });
  });

  test.each([
    ["keys named __proto__", event(`,"__proto__":{"phase":"x"}`), { metadata: { ["__proto__"]: { phase: "x" } } }],
    ["unpaired surrogates", event(`,"more":"\\ud800"`), { metadata: { more: "\ud800" } }],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from(event(`,"more":"`).slice(0, -1)), Buffer.from([0xff]), Buffer.from(`"}`)]),
      { metadata: { more: "\ufffd" } },
    ],
    ["fields of other types", event(`,"cwd":7,"session_id":[]`), { metadata: {} }],
    ["our own words", event(`,"phase":"post-tool","input":{}`), { phase: "pre-tool", input: { command: "ls" } }],
  ])("may hold %s", (_, input, expected) => {
    expect(seen(input)).toMatchObject(expected);
  });

  test("may have the longest of names, and is matched by what matches it", () => {
    const armed = armHome([{ policy: echo, match: "^(?:mcp__[^]*)$" }]);
    expect(verdictOf(armed.call({ tool_name: `mcp__${"x".repeat(1_000_000)}` }))).toBe("deny");
    const other = { tool_name: `mcp${"x".repeat(1_000_000)}`, tool_input: { pattern: "x" } };
    expect(verdictOf(armed.call(other))).toBe("silence");
  });

  test("may be full of names that collide in a Node with the fixed hash seed", () => {
    const names = collidingNames().slice(0, 30_000);
    const input = { command: "ls", ...Object.fromEntries(names.map((name) => [name, 1])) };
    expect(verdictOf(armHome([{ policy: silent }]).call({ tool_input: input }))).toBe("silence");
  });
});

describe("a policy is asked about", () => {
  test.each<[string, Partial<LiteralPolicy>, string, tool?: string]>([
    ["a tool whose name has a character of two units", { matcher: "g?" }, "deny", "g🦀"],
    ["every tool without a matcher", {}, "deny"],
    ["a tool that its matcher matches", { match: "^(?:Ba.*)$" }, "deny"],
    ["no tool that its matcher does not match", { match: "^(?:Read)$" }, "silence"],
    ["no phase that it does not have", { phases: ["post-tool"] }, "silence"],
    ["every tool when it enforces and its expression does not work", { match: "(" }, "deny"],
    ["no tool when it observes and its expression does not work", { match: "(", kind: "observer" }, "silence"],
  ])("%s", (_, fields, verdict, tool) => {
    const call = tool === undefined ? {} : { tool_name: tool };
    expect(verdictOf(armHome([{ policy: echo, ...fields }]).call(call))).toBe(verdict);
  });
});

describe("after a call", () => {
  const print = "{ afterToolCall: (event) => { console.log(JSON.stringify(event)); } }";
  const after = { phase: "post" } as const;

  test("policies see the output, and nothing is said", () => {
    const result = armHome([{ policy: print, phases: ["post-tool"] }]).call({ tool_response: { stdout: "x" } }, after);
    expect(verdictOf(result)).toBe("silence");
    expect(JSON.parse(result.stderr)).toMatchObject({ phase: "post-tool", output: { stdout: "x" } });
  });

  test.each<[unknown, string]>([
    ["it broke", "it broke"],
    [{ code: 1 }, '{"code":1}'],
  ])("policies see the error %j", (error, message) => {
    const armed = armHome([{ policy: print, phases: ["post-tool"] }]);
    const result = armed.call({ hook_event_name: "PostToolUseFailure", error }, after);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { name: "ToolError", message } });
  });

  test("every policy runs, and failures are journaled and change nothing", () => {
    const bad = [
      `{ afterToolCall() { throw new Error("boom"); } }`,
      "{ afterToolCall() { for (;;); } }",
      "{}",
      "{ async afterToolCall() { process.exit(3); } }",
    ];
    const armed = armHome(
      [...bad, print].map((policy) => ({
        policy,
        phases: ["post-tool"],
        timeoutMs: policy.includes("for (;;)") ? 200 : 5_000,
      })),
    );
    const result = armed.call({}, after);
    expect(verdictOf(result)).toBe("silence");
    expect(result.stderr).toContain('"phase":"post-tool"');
    expect(armed.journal()).toMatchObject([
      {
        phase: "post-tool",
        policies: [
          { kind: "enforcement", failure: "threw Error: boom" },
          { kind: "enforcement", failure: "did not finish within 200 ms" },
          { kind: "enforcement", failure: "has no afterToolCall" },
          { kind: "enforcement", failure: "called process.exit" },
          { decision: "none" },
        ],
      },
    ]);
  });

  test("neither a broken event nor a damaged plan disturbs the result", () => {
    const armed = armHome([{ policy: print, phases: ["pre-tool", "post-tool"] }]);
    expect(verdictOf(armed.call({}, { ...after, input: "{" }))).toBe("silence");
    armed.writeLedger({});
    const result = armed.call({}, after);
    expect(verdictOf(result)).toBe("silence");
    expect(result.stderr).toContain("drwn trust");
  });
});

/** Names of one and the same hash in Node 20, 22 and 24, where it begins with the number that these were built with. */
function collidingNames(): string[] {
  const steps = [
    "CLr1 CLwF 7gl5 7gqz",
    "bbps rxfc rxC0",
    "eaB_ eaCN AM0k AM1Z",
    "a6N9 e-r5 mSj- Hj-f",
    "A21v OpLB Sm8F",
    "hbLo hbUD lgVc lg_X",
    "F7Gy JDau 6k6i",
    "cYKA WLaM ZMaI _f-E",
    "e1dx e1F6 q4ht q4J2",
    "cUre gJta shbU 1bxn",
  ];
  return steps.reduce<string[]>(
    (names, step) => names.flatMap((name) => step.split(" ").map((more) => name + more)),
    [""],
  );
}
