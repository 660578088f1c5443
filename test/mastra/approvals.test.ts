import { expect, test, vi } from "vitest";
import { Approvals } from "../../src/mastra/approvals.ts";
import { callOf, guardApp, guardWith } from "./app.ts";

const asks = {
  policy: `{ beforeToolCall({ input }) {
  if (input.amount > 10) return { action: "ask", reason: "so much?" };
} }`,
};
const pending = (args: unknown) => ({ toolName: "run", args, requestContext: {} });

test("a person is asked where a policy asks, and nowhere else", async () => {
  const { guards } = guardApp([asks]);
  expect(await guards.requireToolApproval(pending({ amount: 5 }))).toBe(false);
  expect(await guards.requireToolApproval(pending({ amount: 50 }))).toBe(true);
});

test("a call that a person was asked about runs, once; the journal has the question and the call", async () => {
  const app = guardApp([{ ...asks, askFallback: "deny" }]);
  expect(await app.guards.requireToolApproval(pending({ amount: 50 }))).toBe(true);
  expect(await app.before({ amount: 50 })).toBeUndefined();
  expect(await app.before({ amount: 50 })).toMatchObject({ output: expect.stringContaining("so much?") });
  expect(app.journal()).toMatchObject([
    { verdict: "ask", effective: "ask" },
    { verdict: "ask", effective: "allow" },
    { verdict: "deny", effective: "deny" },
  ]);
});

test("an approval is for one tool with one input", async () => {
  const app = guardApp([{ ...asks, askFallback: "deny" }]);
  await app.guards.requireToolApproval(pending({ amount: 50 }));
  expect(await app.before({ amount: 51 })).toBeDefined();
  expect(await app.before({ amount: 50 }, "other")).toBeDefined();
  expect(await app.before({ amount: 50 })).toBeUndefined();
});

test("an approval changes nothing about what another policy denies", async () => {
  const app = guardApp([asks, { policy: `{ beforeToolCall() { return { action: "deny", reason: "no" }; } }` }]);
  expect(await app.guards.requireToolApproval(pending({ amount: 50 }))).toBe(false);
  expect(await app.before({ amount: 50 })).toMatchObject({ output: "[@me/guards#guard-1] no" });
});

test.each([
  ["allow", undefined],
  ["deny", { proceed: false, output: expect.stringContaining("so much?") }],
] as const)("where nobody is asked, it comes to what the consent says: %s", async (askFallback, outcome) => {
  const app = guardApp([{ ...asks, askFallback }]);
  expect(await app.before({ amount: 50 })).toEqual(outcome);
});

test("what cannot be judged needs nobody's approval: it is refused when it is to be made", async () => {
  const { guards } = guardApp([asks]);
  expect(await guards.requireToolApproval(pending(undefined))).toBe(false);
  const broken = guardWith("exit 2");
  expect(await broken.requireToolApproval(pending({}))).toBe(false);
  expect(await broken.hooks.beforeToolCall(callOf({}))).toMatchObject({ proceed: false });
});

test("an approval that nobody comes back to is forgotten: after a minute, or when there are a thousand others", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const approvals = new Approvals();
    approvals.raise("run", "{}");
    vi.advanceTimersByTime(59_000);
    approvals.raise("later", "{}");
    vi.advanceTimersByTime(2_000);
    expect([approvals.take("run", "{}"), approvals.take("later", "{}")]).toEqual([false, true]);
    for (let at = 0; at <= 1_000; at++) approvals.raise("run", String(at));
    expect([approvals.take("run", "0"), approvals.take("run", "1"), approvals.take("run", "1000")]).toEqual([
      false,
      true,
      true,
    ]);
  } finally {
    vi.useRealTimers();
  }
});
