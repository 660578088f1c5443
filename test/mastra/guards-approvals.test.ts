import { expect, test } from "vitest";
import { callOf, type GuardedApp, guardApp, guardWith } from "./app.ts";

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

/** As Mastra does it before it makes a call: it asks about the very object that the tool is then run with. */
const raise = async (app: GuardedApp, input: unknown, toolName = "run"): Promise<void> =>
  expect(await app.guards.requireToolApproval({ ...pending(input), toolName })).toBe(true);

test("a call that a person was asked about runs, once; the journal has the question and the call", async () => {
  const app = guardApp([{ ...asks, askFallback: "deny" }]);
  const input = { amount: 50 };
  await raise(app, input);
  expect(await app.before(input)).toBeUndefined();
  expect(await app.before(input)).toMatchObject({ output: expect.stringContaining("so much?") });
  expect(app.journal()).toMatchObject([
    { verdict: "ask", effective: "ask" },
    { verdict: "ask", effective: "allow" },
    { verdict: "deny", effective: "deny" },
  ]);
});

test("an approval is for one call: the equal call of another agent is not approved, whatever a person said to the first", async () => {
  const app = guardApp([{ ...asks, askFallback: "deny" }]);
  const ofSupervisor = { amount: 50 };
  await raise(app, ofSupervisor);
  const ofClerk = { ...callOf({ amount: 50 }), metadata: { agentId: "clerk", agentName: "Clerk" } };
  expect(await app.guards.hooks.beforeToolCall(ofClerk)).toMatchObject({ output: expect.stringContaining("so much?") });
  expect(await app.before({ amount: 50 })).toBeDefined();
  expect(await app.before(ofSupervisor)).toBeUndefined();
});

test.each([
  ["another tool", 50, "other"],
  ["an input that is not what was asked about any more", 51, "run"],
])("an approval is not for %s, and is gone then", async (_, amount, tool) => {
  const app = guardApp([{ ...asks, askFallback: "deny" }]);
  const input = { amount: 50 };
  await raise(app, input);
  expect(await app.before(Object.assign(input, { amount }), tool)).toBeDefined();
  expect(await app.before(Object.assign(input, { amount: 50 }))).toBeDefined();
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
