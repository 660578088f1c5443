import { expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

// The hook process holds many policies to their time under one watch of node:vm.

const SPIN = "const until = Date.now() + ms; while (Date.now() < until);";

const spins = (ms: number, more: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ beforeToolCall() { const ms = ${ms}; ${SPIN} } }`,
  ...more,
});

const DENIES: LiteralPolicy = {
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`,
};
const LOOPS = `{ beforeToolCall() { for (;;); } }`;

test("what policies before it took is not taken from a policy's own time", () => {
  const late = Array.from({ length: 5 }, () => spins(300));
  expect(reasonOf(armHome([...late, { ...DENIES, hook: "last", timeoutMs: 1_000 }]).call())).toBe(
    "[@me/guards#last] no",
  );
});

test("an endless loop behind policies that answered at once is ended, and named", () => {
  const quick = Array.from({ length: 5 }, () => spins(0));
  const result = armHome([...quick, { policy: LOOPS, timeoutMs: 400, hook: "endless" }]).call();
  expect(reasonOf(result)).toContain("[@me/guards#endless] the policy did not finish within 400 ms");
});

test("an observer that loops is ended, and the policies behind it are asked", () => {
  const result = armHome([
    spins(0),
    { policy: LOOPS, timeoutMs: 400, kind: "observer", hook: "endless" },
    { ...DENIES, hook: "last" },
  ]).call();
  expect(reasonOf(result)).toBe("[@me/guards#last] no");
});

test("an observer that uses its time up to the last moment blocks nothing, whenever that is", () => {
  for (const ms of [399, 405]) {
    const result = armHome([spins(0), spins(ms, { kind: "observer", timeoutMs: 400 }), spins(0)]).call();
    expect([ms, verdictOf(result), result.status, result.stderr]).toEqual([ms, "silence", 0, ""]);
  }
});

test("a short time among long ones is kept", () => {
  const result = armHome([spins(0), { policy: LOOPS, timeoutMs: 50, hook: "short" }, spins(0)]).call();
  expect(reasonOf(result)).toContain("[@me/guards#short] the policy did not finish within 50 ms");
});

test("a long time behind a short one is kept", () => {
  const result = armHome([spins(0, { timeoutMs: 500 }), spins(600)]).call();
  expect([verdictOf(result), result.stderr]).toEqual(["silence", ""]);
});

test("one that waits for real input or output in the middle is waited for, and the rest is asked", () => {
  const waits = `{ async beforeToolCall() { await new Promise((done) => setTimeout(done, 20)); } }`;
  const result = armHome([
    spins(0),
    { policy: waits },
    spins(0),
    { policy: waits },
    { ...DENIES, hook: "last" },
  ]).call();
  expect(reasonOf(result)).toBe("[@me/guards#last] no");
});

test("a rewrite under the watch is judged by the policies before it once more", () => {
  const rewrites = `{ beforeToolCall: () => ({ action: "allow", updatedInput: { command: "rm" } }) }`;
  const judges = `{ beforeToolCall: ({ input }) => input.command === "rm" ? { action: "deny", reason: "rm" } : undefined }`;
  const result = armHome([{ policy: judges, hook: "first" }, { policy: rewrites }]).call();
  expect(reasonOf(result)).toBe("[@me/guards#first] rm");
});

test("what a policy puts behind the end of every list isn't a policy", () => {
  const top = `for (let i = 0; i < 50; i++) Array.prototype[i] = { policy: {}, timeoutMs: 1 };`;
  const armed = armHome([{ policy: `{ afterToolCall() {} }`, phases: ["post-tool"], top }]);
  const result = armed.call(undefined, { phase: "post" });
  expect([result.status, result.stdout, result.stderr]).toEqual([0, "", ""]);
});

test("errors in listeners count against the policy that threw them, however many there are", () => {
  const throws = `{ beforeToolCall() {
    const target = new EventTarget();
    for (let i = 0; i < 350; i++) {
      target.addEventListener("e" + i, () => { throw new Error("stray"); });
      target.dispatchEvent(new Event("e" + i));
    }
  } }`;
  const armed = armHome([{ policy: throws, kind: "observer", timeoutMs: 5_000 }, spins(0)]);
  expect(verdictOf(armed.call())).toBe("silence");
  expect(armed.journal()).toMatchObject([{ policies: [{ failure: "threw Error: stray" }, { decision: "none" }] }]);
});
