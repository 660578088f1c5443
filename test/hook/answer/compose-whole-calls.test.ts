import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

const says = (decision: string, fields: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ beforeToolCall: (event) => (${decision}) }`,
  ...fields,
});
const observes = { kind: "observer" } as const;
const outputOf = (...policies: LiteralPolicy[]) => armHome(policies).call().said?.hookSpecificOutput;

describe("Claude Code is told", () => {
  test.each([
    "undefined",
    `{ action: "allow" }`,
    `{ action: "log-only" }`,
    `{ action: "allow", additionalContext: "" }`,
  ])("nothing at all by %s", (decision) => {
    const result = armHome([says(decision)]).call();
    expect([result.status, result.stdout, result.stderr]).toEqual([0, "", ""]);
  });

  test("to ask, with the policy's name and the context of the others", () => {
    const context = says(`{ action: "allow", additionalContext: "mind the gap" }`);
    expect(outputOf(context, says(`{ action: "ask", reason: "sure?" }`))).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: "[@me/guards#guard-1] sure?",
      additionalContext: "mind the gap",
    });
  });

  test("the input after all rewrites, and never a permission", () => {
    const append = (text: string): LiteralPolicy =>
      says(
        `event.input.command.includes("${text}") ? undefined : { action: "allow", updatedInput: { command: event.input.command + "${text}" } }`,
      );
    expect(outputOf(append(" a"), append(" b"))).toEqual({
      hookEventName: "PreToolUse",
      updatedInput: { command: "ls a b" },
    });
  });

  test("a deny of a policy that comes before the rewrite it denies", () => {
    const guard = says(`event.input.command === "rm" ? { action: "deny", reason: "no rm" } : undefined`);
    const rewrite = says(`{ action: "allow", updatedInput: { command: "rm" } }`);
    expect(outputOf(guard, rewrite)?.permissionDecisionReason).toBe("[@me/guards#guard-0] no rm");
  });

  test("a reason of bounded length, without control characters", () => {
    const reason = outputOf(
      says(`{ action: "deny", reason: "\\u001b[31m\\u202e" + "x".repeat(9000) }`),
    )?.permissionDecisionReason;
    expect(reason).toMatch(/^\[@me\/guards#guard-0\] \\u\{1b\}\[31m\\u\{202e\}x+…$/u);
    expect(reason?.length).toBeLessThan(2_200);
  });
});

describe("an observer", () => {
  test("halts the call by a deny", () => {
    expect(reasonOf(armHome([says(`{ action: "deny", reason: "halt" }`, observes)]).call())).toBe(
      "[@me/guards#guard-0] halt",
    );
  });

  test.each([
    ["ask", `{ action: "ask", reason: "sure?" }`],
    ["allow", `{ action: "allow", updatedInput: { command: "pwd" }, additionalContext: "c" }`],
  ])("is journaled and not obeyed when it says %s", (decision, text) => {
    const armed = armHome([says(text, observes)]);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(armed.journal()).toMatchObject([{ verdict: "allow", policies: [{ decision, applied: false }] }]);
  });
});

describe("a policy that takes its time", () => {
  const slow = (work: string): LiteralPolicy => ({
    policy: `{ async beforeToolCall() { ${work}; return { action: "deny", reason: "done" }; } }`,
  });

  test.each([
    ["a timer", "await new Promise((resolve) => setTimeout(resolve, 20, 1))"],
    [
      "an interval",
      "await new Promise((resolve) => { let n = 0; const i = setInterval(() => { if (++n === 3) { clearInterval(i); resolve(); } }, 1); })",
    ],
    ["an immediate", "await new Promise((resolve) => setImmediate(resolve))"],
    ["ticks and microtasks", "await new Promise((resolve) => process.nextTick(() => queueMicrotask(resolve)))"],
    ["a promise of a timer", `await require("node:util").promisify(setTimeout)(5)`],
    ["thenables", "await { then(resolve) { setTimeout(resolve, 1); } }"],
  ])("by %s is waited for, and the policies behind it are asked", (_, work) => {
    const observer = { ...slow(work), ...observes, policy: slow(work).policy.replace(`"deny"`, `"ask"`) };
    const armed = armHome([observer, slow(work)]);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-1] done");
    expect(armed.journal()).toMatchObject([{ policies: [{ decision: "ask" }, { decision: "deny" }] }]);
  });

  test("leaves nothing behind that could speak for another", () => {
    const leaving: LiteralPolicy = {
      ...observes,
      policy: `{ beforeToolCall() { setInterval(() => { throw new Error("late"); }, 1); setTimeout(() => { for (;;); }, 2); } }`,
    };
    const waiting: LiteralPolicy = {
      policy: `{ beforeToolCall: () => new Promise((resolve) => setTimeout(resolve, 50)) }`,
    };
    const armed = armHome([leaving, waiting]);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(armed.journal()).toMatchObject([{ policies: [{ decision: "none" }, { decision: "none" }] }]);
  });

  test("is cut off long before the agent gives up waiting", () => {
    const begun = Date.now();
    const result = armHome([{ timeoutMs: 500, policy: "{ beforeToolCall() { for (;;); } }" }]).call();
    expect(reasonOf(result)).toContain("did not finish within 500 ms");
    expect(Date.now() - begun).toBeLessThan(10_000);
  });
});
