import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { eventOf, reasonOf, verdictOf } from "../support/hook-calls.ts";

const MOST = 65_536;
const LEFT_OUT = /^drwn: the rest of what policies print is left out, beyond 64 KiB$/gmu;
/** What is left beside that line. */
const FITS = 65_470;
const LARGE = `"x".repeat(5_000_000)`;
const deny = `return { action: "deny", reason: "no" };`;

function call(work: string, fields: Partial<LiteralPolicy> = {}) {
  return armHome([{ policy: `{ beforeToolCall() { ${work} ${deny} } }`, ...fields }]).call();
}

describe("what policies print is cut short, and the agent's log says so once", () => {
  const exec = (line: string) =>
    `require("node:child_process").execSync(${JSON.stringify(line)}, { stdio: "inherit" });`;
  test.each<[string, string, Partial<LiteralPolicy>?]>([
    ["console.log", `console.log(${LARGE});`],
    ["console.error", `console.error(${LARGE});`],
    ["console.trace", `console.trace(${LARGE});`],
    ["console.table", `console.table([[${LARGE}]]);`],
    ["process.stdout", `process.stdout.write(${LARGE});`],
    ["process.stderr", `process.stderr.write(${LARGE});`],
    ["one after the other", `process.stderr.write("x".repeat(${FITS})); process.stdout.write("x");`],
    ["many lines", `for (let i = 0; i < 20_000; i++) console.log("a line of it all");`],
    ["letters of several bytes", `console.log("\u20ac".repeat(30_000));`],
    ["letters outside of the first plane", `console.log("\u{1f600}".repeat(30_000));`],
    ["a letter that begins on the last byte", `console.log("x".repeat(${FITS - 1}) + "\u{1f600}".repeat(30_000));`],
    ["halves of letters", `console.log("x" + "\\ud800".repeat(30_000));`],
    ["text that is printed when it is loaded", "", { top: `console.log(${LARGE});` }],
    ["text in a process of its own", `console.log(${LARGE});`, { capabilities: ["env"] }],
    ["a program's errors", exec("head -c 5000000 /dev/zero | tr '\\0' x >&2"), { capabilities: ["exec"] }],
    ["a program's output", exec("head -c 5000000 /dev/zero | tr '\\0' x"), { capabilities: ["exec"] }],
  ])("%s", (_, work, fields = {}) => {
    const result = call(work, fields);
    expect(verdictOf(result)).toBe("deny");
    expect(Buffer.byteLength(result.stderr)).toBeGreaterThan(MOST - 8_192);
    expect(Buffer.byteLength(result.stderr)).toBeLessThanOrEqual(MOST);
    expect(result.stderr.match(LEFT_OUT)).toHaveLength(1);
  });

  test("between two characters", () => {
    const { stderr } = call(`console.log("x" + "\u{1f600}".repeat(30_000));`);
    expect(stderr).toMatch(/^x(?:\u{1f600})+\ndrwn: /u);
  });

  test("in shadow mode, after a call, and at a lifecycle event", () => {
    const print = `console.log(${LARGE});`;
    const shadow = armHome([{ policy: `{ beforeToolCall() { ${print} } }`, mode: "shadow" }]).call();
    const after = armHome([{ policy: `{ afterToolCall() { ${print} } }`, kind: "observer", phases: ["post-tool"] }]);
    const prompt = armHome([{ policy: `{ event: "prompt.submit", run() { ${print} } }`, phases: ["prompt.submit"] }]);
    const told = after.call({}, { phase: "post" });
    const prompted = prompt.call({ hook_event_name: "UserPromptSubmit", prompt: "x" }, { phase: "prompt.submit" });
    for (const { stderr } of [shadow, told, prompted]) {
      expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(MOST);
      expect(stderr.match(LEFT_OUT)).toHaveLength(1);
    }
  });

  test("so that a reader that takes nothing does not hold up the answer", async () => {
    const { home, project, world } = armHome([{ policy: `{ beforeToolCall() { console.log(${LARGE}); ${deny} } }` }]);
    const pipe = path.join(world, "pipe");
    execFileSync("mkfifo", [pipe]);
    const unread = fs.openSync(pipe, fs.constants.O_RDWR);
    onTestFinished(() => fs.closeSync(unread));
    const env = { PATH: process.env["PATH"], HOME: world, CLAUDE_PROJECT_DIR: project };
    const command = hookCommand({ home, runtime: "claude-code", phase: "pre" });
    const hook = spawn("sh", ["-c", command], { cwd: project, env, stdio: ["pipe", "pipe", unread], detached: true });
    onTestFinished(() => void (hook.exitCode ?? process.kill(-(hook.pid ?? 0), "SIGKILL")));
    hook.stdin?.end(JSON.stringify(eventOf("pre", project)));
    const [answer] = await once(hook.stdout ?? hook, "data");
    expect(String(answer)).toContain('"deny"');
  });

  test("what fits is printed as it is, and nothing is said", () => {
    const { stderr } = call(`process.stderr.write("x".repeat(${FITS}));`);
    expect(stderr).toBe("x".repeat(FITS));
  });
});

describe("what a policy answers is cut short", () => {
  test.each<[string, string]>([
    ["a reason", `{ beforeToolCall: () => ({ action: "deny", reason: ${LARGE} }) }`],
    ["what it throws", `{ beforeToolCall() { throw new Error(${LARGE}); } }`],
    ["what it throws that isn't an error", `{ beforeToolCall() { throw ${LARGE}; } }`],
    ["what it rejects with", `{ beforeToolCall: async () => Promise.reject(new Error(${LARGE})) }`],
    ["a stack", `{ beforeToolCall() { const error = new Error("x"); error.stack = ${LARGE}; throw error; } }`],
    ["a field that nobody knows", `{ beforeToolCall: () => ({ action: "deny", [${LARGE}]: 1 }) }`],
    ["an action that nobody knows", `{ beforeToolCall: () => ({ action: ${LARGE} }) }`],
  ])("%s", (_, policy) => {
    const armed = armHome([{ policy }]);
    const result = armed.call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)?.length).toBeLessThan(MOST);
    expect(result.stdout.length + result.stderr.length).toBeLessThan(2 * MOST);
    expect(JSON.stringify(armed.journal()).length).toBeLessThan(2 * MOST);
  });

  test("a context", () => {
    const armed = armHome([{ policy: `{ beforeToolCall: () => ({ action: "allow", additionalContext: ${LARGE} }) }` }]);
    const result = armed.call();
    expect(result.stdout.length + result.stderr.length).toBeLessThan(2 * MOST);
    expect(JSON.stringify(armed.journal()).length).toBeLessThan(2 * MOST);
  });
});
