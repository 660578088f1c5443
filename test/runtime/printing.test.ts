import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

const MOST = 65_536;
const LEFT_OUT = /^drwn: the rest of what policies print is left out, beyond 65536 bytes$/gmu;
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
    ["one after the other", `process.stderr.write("x".repeat(${MOST})); process.stdout.write("x");`],
    ["many lines", `for (let i = 0; i < 20_000; i++) console.log("a line of it all");`],
    ["letters of several bytes", `console.log("\u20ac".repeat(30_000));`],
    ["letters outside of the first plane", `console.log("\u{1f600}".repeat(30_000));`],
    ["text that is printed when it is loaded", "", { top: `console.log(${LARGE});` }],
    ["text in a process of its own", `console.log(${LARGE});`, { capabilities: ["env"] }],
    ["a program's errors", exec("head -c 5000000 /dev/zero | tr '\\0' x >&2"), { capabilities: ["exec"] }],
    ["a program's output", exec("head -c 5000000 /dev/zero | tr '\\0' x"), { capabilities: ["exec"] }],
  ])("%s", (_, work, fields = {}) => {
    const result = call(work, fields);
    expect(verdictOf(result)).toBe("deny");
    expect(Buffer.byteLength(result.stderr)).toBeGreaterThan(MOST - 8_192);
    expect(Buffer.byteLength(result.stderr)).toBeLessThan(MOST + 200);
    expect(result.stderr.match(LEFT_OUT)).toHaveLength(1);
  });

  test("what fits is printed as it is, and nothing is said", () => {
    const { stderr } = call(`process.stderr.write("x".repeat(${MOST}));`);
    expect(stderr).toBe("x".repeat(MOST));
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
