import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

const child = (fields: Partial<LiteralPolicy> & { policy: string }): LiteralPolicy => ({
  hook: "bad",
  capabilities: ["fs-read", "fs-write"],
  timeoutMs: 10_000,
  ...fields,
});
const good: LiteralPolicy = {
  hook: "good",
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }) }`,
};

describe("a policy with capabilities", () => {
  test("reads what it consented to, and its decision counts", () => {
    const policy = `{ async beforeToolCall(event) {
      const text = await require("node:fs/promises").readFile(event.cwd + "/.agents/drwn/config.json", "utf8");
      return { action: "deny", reason: "read " + text.trim(), syntheticOutput: { seen: event.input } };
    } }`;
    const result = armHome([child({ policy })]).call();
    expect(reasonOf(result)).toBe('[@me/guards#bad] read {}\n\nInstead of a result: {"seen":{"command":"ls"}}');
  });

  test("can rewrite, give context, ask, and have no opinion", () => {
    const answers = [
      `{ action: "allow", updatedInput: { command: "pwd" }, additionalContext: "c" }`,
      "undefined",
      `{ action: "log-only" }`,
    ];
    const policies = answers.map((answer, index) =>
      child({ hook: `h${index}`, policy: `{ beforeToolCall: () => (${answer}) }` }),
    );
    expect(armHome(policies).call().said?.hookSpecificOutput).toEqual({
      hookEventName: "PreToolUse",
      updatedInput: { command: "pwd" },
      additionalContext: "c",
    });
    const asking = armHome([child({ policy: `{ beforeToolCall: () => ({ action: "ask", reason: "sure?" }) }` })]);
    expect(verdictOf(asking.call())).toBe("ask");
  });

  test("gets no module and no environment beyond its capabilities", () => {
    const tries = ["node:child_process", "node:net", "node:os", "node:vm"];
    const policy = `{ beforeToolCall: () => ({ action: "deny", reason: JSON.stringify({
      modules: ${JSON.stringify(tries)}.filter((name) => { try { return require(name); } catch { return false; } }),
      env: Object.keys(process.env), fetch: typeof fetch }) }) }`;
    const result = armHome([child({ policy })]).call({}, { env: { SECRET: "s" } });
    expect(reasonOf(result)).toBe('[@me/guards#bad] {"modules":[],"env":[],"fetch":"undefined"}');
  });

  test.each<[string, LiteralPolicy["capabilities"], string]>([
    ["env", ["env"], `require("node:os").EOL === "\\n" && process.env.SECRET`],
    ["net", ["net"], `typeof fetch + typeof require("node:net").connect`],
    ["exec", ["exec"], `require("node:child_process").execSync("echo $0").toString().trim()`],
  ])("gets what %s opens", (_, capabilities, expression) => {
    const policy = `{ beforeToolCall: () => ({ action: "deny", reason: "got " + (${expression}) }) }`;
    const result = armHome([child({ policy, ...(capabilities ? { capabilities } : {}) })]).call(
      {},
      { env: { SECRET: "s" } },
    );
    expect(reasonOf(result)).toMatch(/got (?:s|functionfunction|\/bin\/sh|sh)$/u);
  });

  test("prints to stderr, and stdout stays one document", () => {
    const policy = `{ beforeToolCall() { require("node:fs").writeSync(1, "raw"); console.log("said"); return { action: "deny", reason: "no" }; } }`;
    const result = armHome([child({ policy })]).call();
    expect([verdictOf(result), result.stderr]).toEqual(["deny", "rawsaid\n"]);
  });

  test("judges after a call, too", () => {
    const policy = `{ afterToolCall(event) { require("node:fs").writeFileSync(event.cwd + "/seen", event.phase); } }`;
    const armed = armHome([child({ policy, phases: ["post-tool"] })]);
    expect(verdictOf(armed.call({}, { phase: "post" }))).toBe("silence");
    expect(fs.readFileSync(`${armed.project}/seen`, "utf8")).toBe("post-tool");
  });
});

const loop = "for (;;);";
const readThen = (work: string) =>
  `{ async beforeToolCall(event) { await require("node:fs/promises").readFile(event.cwd + "/.agents/drwn/config.json"); ${work} } }`;
const sync = (work: string) => `{ beforeToolCall() { ${work} } }`;

describe.each<[string, Partial<LiteralPolicy> & { policy: string }, string]>([
  ["throws", { policy: sync(`throw new Error("boom")`) }, "threw Error: boom"],
  ["throws when loaded", { top: "throw new Error('early');", policy: "{}" }, "threw Error: early"],
  [
    "throws where nobody catches",
    { policy: readThen(`setImmediate(() => { throw new Error("stray"); }); await new Promise(() => {});`) },
    "threw Error: stray",
  ],
  ["returns garbage", { policy: sync("return 7") }, "isn't a valid decision"],
  ["loops", { timeoutMs: 1_500, policy: sync(loop) }, "did not finish within 1500 ms"],
  ["loops when loaded", { timeoutMs: 1_500, top: loop, policy: "{}" }, "did not finish within 1500 ms"],
  ["loops after real input", { timeoutMs: 1_500, policy: readThen(loop) }, "did not finish within 1500 ms"],
  [
    "never settles",
    { timeoutMs: 1_500, policy: sync("return new Promise(() => {})") },
    "did not finish within 1500 ms",
  ],
  ["calls process.exit", { policy: sync("process.exit(0)") }, "called process.exit"],
  [
    "ends its process from a program",
    { capabilities: ["exec"], policy: sync(`require("node:child_process").execSync("kill -9 " + process.pid)`) },
    "without an answer",
  ],
  [
    "closes its answer",
    { policy: sync(`require("node:fs").closeSync(3); return { action: "log-only" };`) },
    "without an answer",
  ],
  [
    "forges an answer",
    {
      policy: sync(
        `require("node:fs").writeSync(3, '{"action":"none","reason":""}'); require("node:fs").closeSync(3);`,
      ),
    },
    "without an answer",
  ],
  [
    "allocates without end",
    { timeoutMs: 30_000, policy: sync("const all = []; for (;;) all.push(new Array(1e5).fill(all.length));") },
    "without an answer",
  ],
])("a policy with capabilities that %s", (_, literal, says) => {
  test("denies the call when it enforces, and the hook lives on", () => {
    const result = armHome([child(literal)]).call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain("[@me/guards#bad]");
    expect(reasonOf(result)).toContain(says);
  });

  test("leaves the deny of the policy behind it alone when it observes", () => {
    const armed = armHome([child({ ...literal, kind: "observer" }), good]);
    expect(reasonOf(armed.call())).toBe("[@me/guards#good] good deny");
    expect(armed.journal()).toMatchObject([{ policies: [{ failure: expect.stringContaining(says) }, {}] }]);
  });
});

test("what a policy with capabilities started dies with it", async () => {
  const policy = `{ beforeToolCall(event) {
    require("node:child_process").spawn("sh", ["-c", "sleep 1; touch " + event.cwd + "/alive"], { stdio: "ignore" }).unref();
  } }`;
  const armed = armHome([child({ policy, capabilities: ["exec"] })]);
  expect(verdictOf(armed.call())).toBe("silence");
  const late = armed.run('sleep 1.5; test -e alive && echo \'{"systemMessage":"alive"}\'; true');
  expect(late.stdout).toBe("");
});
