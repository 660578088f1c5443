import { expect, test } from "vitest";
import { verifyJournal } from "../../src/journal/verify.ts";
import { armHome } from "../support/armed-home.ts";
import { verdictOf } from "../support/hook-calls.ts";
import { callAtOnce } from "../support/hook-storm.ts";
import { sweep } from "../support/sweep.ts";

const policies: [name: string, policy: string, verdict: string][] = [
  ["denies", `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`, "deny"],
  ["is silent", "{ beforeToolCall() {} }", "silence"],
  ["takes its time", "{ beforeToolCall: () => new Promise((resolve) => setTimeout(resolve, 50)) }", "silence"],
];

test.each(sweep(policies, 1))(
  "two hundred hooks at once, of a policy that %s, all answer, and no line is lost",
  async (_, policy, verdict) => {
    const armed = armHome([{ policy, timeoutMs: 30_000 }]);
    const results = await callAtOnce(armed, 200);
    expect(new Set(results.map(verdictOf))).toEqual(new Set([verdict]));
    const { home, key } = armed;
    expect(verifyJournal({ home, key })).toMatchObject({ ok: true, calls: 200, faults: [] });
  },
  180_000,
);
