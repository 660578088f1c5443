import { expect, test } from "vitest";
import { mastra } from "../../src/agents/mastra/adapter.ts";
import type { PolicyKind } from "../../src/policy/define.ts";
import { callOf, catchPrinted, type GuardedApp, guardApp } from "../mastra/app.ts";
import { BEHAVIOURS, type Behaviour, expectedOutcome, type Outcome } from "../support/conformance.ts";

const ROWS = (Object.keys(BEHAVIOURS) as Behaviour[]).filter((name) => name !== "has lost its code");

/** A policy that does everything in the table; its input says what. */
function policyOfAllRows(): string {
  const cases = ROWS.map((name) => `if (input.row === ${JSON.stringify(name)}) { ${BEHAVIOURS[name].body} }`);
  const body = cases.join("\n");
  return `{ beforeToolCall({ input }) { ${body} }, afterToolCall({ input }) { ${body} } }`;
}

/** What happens to a call in an app whose agent has `requireToolApproval`. */
async function outcomeIn({ guards, before }: GuardedApp, row: Behaviour): Promise<Outcome> {
  const input = { row };
  if (await guards.requireToolApproval({ toolName: "run", args: input })) return "a person is asked";
  if ((await before(input)) !== undefined) return "blocked";
  return "row" in input ? "runs" : "runs rewritten";
}

test.each<PolicyKind>(["enforcement", "observer"])("an %s policy comes to what the table says", async (kind) => {
  catchPrinted();
  const app = guardApp([{ policy: policyOfAllRows(), kind, phases: ["pre-tool", "post-tool"], timeoutMs: 1_000 }]);
  for (const behaviour of ROWS) {
    const expected = expectedOutcome({ adapter: mastra, behaviour, kind, phase: "pre-tool" });
    expect([behaviour, await outcomeIn(app, behaviour)]).toEqual([behaviour, expected]);
    expect(await app.guards.hooks.afterToolCall(callOf({ row: behaviour }))).toBeUndefined();
  }
});
