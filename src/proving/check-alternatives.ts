import { askCalls } from "./ask-calls.ts";
import { type HookUnderTest, nameOfHook } from "./hook-under-test.ts";
import type { CaseResult } from "./run-cases.ts";
import type { ProvingSandbox } from "./sandbox.ts";
import { simulateCalls } from "./simulated-calls.ts";

/**
 * Asks hooks about the calls that the reasons of cases propose. If another guard closes that way out, the case fails.
 * Doesn't ask hooks that need more than the event.
 */
export async function checkAlternatives(
  place: ProvingSandbox,
  results: readonly CaseResult[],
  stack: readonly HookUnderTest[],
): Promise<void> {
  const proposed = results.flatMap((result) => {
    const { instead, cwd, id, agent } = result.case;
    if (instead === undefined) return [];
    return simulateCalls({ cwd, ...instead, id, agent, expect: "allow" }).map((call) => ({ result, told: call }));
  });
  if (proposed.length === 0) return;
  const calls = proposed.map(({ told: { questions } }) => ({ questions }));
  for (const hook of stack.filter(({ policy }) => policy.capabilities.length === 0)) {
    const answers = await askCalls(place, hook, calls);
    for (const [at, { result, told: call }] of proposed.entries()) {
      const answer = answers[at];
      if (answer === undefined || answer.verdict === "allow") continue;
      const { agent, tool } = call;
      const expected = `allow by all that is in force: ${JSON.stringify(result.case.instead?.input)}`;
      const received = `${answer.verdict} by ${nameOfHook(hook)}: ${answer.reason}`;
      result.differences.push({ agent, tool, field: "instead", expected, received });
      result.state = result.case.todo === true ? "todo" : "failed";
    }
  }
}
