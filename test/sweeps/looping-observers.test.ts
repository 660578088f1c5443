import { expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

// Each of them takes its five seconds: together more CPU time than the hook process has.

const LOOP = "for (let kept = []; ; ) { kept.push({ a: { b: {} } }); if (kept.length > 300_000) kept = []; }";
const LOOPS: LiteralPolicy[] = Array.from({ length: 6 }, () => ({
  policy: `{ beforeToolCall() { ${LOOP} }, afterToolCall() { ${LOOP} } }`,
  kind: "observer",
  phases: ["pre-tool", "post-tool"],
  timeoutMs: 5_000,
}));

test("six observers that loop and collect garbage block no call, and no guard's deny is lost", () => {
  const alone = armHome(LOOPS);
  expect([verdictOf(alone.call()), alone.journal()]).toMatchObject(["silence", [{ verdict: "allow" }]]);
  expect(alone.call(undefined, { phase: "post" })).toMatchObject({ status: 0, stderr: "" });
  expect(alone.journal()).toHaveLength(2);
  const guard: LiteralPolicy = {
    policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`,
    hook: "guard",
  };
  expect(reasonOf(armHome([...LOOPS, guard]).call())).toBe("[@me/guards#guard] no");
}, 180_000);

test("observers that loop leave half of the time to whoever may block, and block nothing themselves", () => {
  const loops: LiteralPolicy[] = Array.from({ length: 4 }, () => ({
    policy: `{ beforeToolCall() { for (;;); } }`,
    kind: "observer",
    timeoutMs: 900,
  }));
  const last = {
    policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`,
    timeoutMs: 5_000,
    hook: "last",
  };
  expect(reasonOf(armHome([...loops, last], { totalMs: 6_000 }).call())).toBe("[@me/guards#last] no");
  const alone = armHome(loops, { totalMs: 6_000 });
  expect(verdictOf(alone.call())).toBe("silence");
  expect(JSON.stringify(alone.journal()).match(/"failure"/gu)).toHaveLength(4);
});
