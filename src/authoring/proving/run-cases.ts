import { isDeepStrictEqual } from "node:util";
import { type HookCase, printCase } from "../../card/hooks/cases.ts";
import { askCalls, type Judgement } from "./ask-calls.ts";
import type { HookUnderTest, ProvingSandbox } from "./sandbox.ts";
import { type SimulatedCall, simulateCalls } from "./simulated-calls.ts";

/** Something that a case expects, and what came instead. */
export interface CaseDifference {
  field: "expect" | "reason" | "updatedInput" | "instead";
  expected: string;
  received: string;
  /** The agent, and its own name for the tool. */
  agent: string;
  tool: string;
}

export interface CaseResult {
  hook: string;
  case: HookCase;
  state: "passed" | "failed" | "todo" | "done";
  differences: CaseDifference[];
  /** The case's line with the hook's present answer; null: no line can say that. */
  corrected: string | null;
}

/** A case, one form of its call, and whether it is the call that the reason proposes. */
interface CaseQuestion {
  at: number;
  told: SimulatedCall;
  isInstead: boolean;
}

/** Asks the hook about the calls of its cases, and compares. */
export async function runCases(
  place: ProvingSandbox,
  hook: HookUnderTest,
  cases: readonly HookCase[],
): Promise<CaseResult[]> {
  const asked = cases.flatMap((one, at): CaseQuestion[] => toAsked(one, at));
  const calls = asked.map(({ at, told: { questions } }) => ({ questions, isFresh: cases[at]?.fresh }));
  const answers = await askCalls(place, hook, calls);
  const results = cases.map((one): CaseResult => {
    return { hook: hook.policy.hook, case: one, state: stateOf(one, 0), differences: [], corrected: null };
  });
  for (const [nth, { at, told, isInstead }] of asked.entries()) {
    const [result, answer] = [results[at], answers[nth]];
    if (result === undefined || answer === undefined) continue;
    const one = result.case;
    const found = isInstead ? compareInstead(one, told, answer) : compare(one, told, answer);
    if (found.length === 0) continue;
    result.state = stateOf(one, found.length);
    result.differences.push(...found);
    if (!isInstead) result.corrected ??= printCase(asJudgement(one, answer));
  }
  return results;
}

/** A case to paste over this one if the hook is right. */
function asJudgement({ reason, updatedInput: _, ...one }: HookCase, answer: Judgement): HookCase {
  const expect = wordOf(answer);
  return {
    ...one,
    expect,
    ...(answer.reason === "" || (reason === undefined && !answer.isFailure) ? {} : { reason: answer.reason }),
    ...(expect === "rewrite" ? { updatedInput: answer.updatedInput as Record<string, unknown> } : {}),
  };
}

/** What a hook says about a call, in the words of cases. */
export function wordOf({ verdict, updatedInput }: Pick<Judgement, "verdict" | "updatedInput">): HookCase["expect"] {
  return verdict === "allow" && updatedInput !== null ? "rewrite" : verdict;
}

function toAsked(one: HookCase, at: number): CaseQuestion[] {
  const own = simulateCalls(one).map((told) => ({ at, told, isInstead: false }));
  const { instead } = one;
  if (instead === undefined) return own;
  const proposed = simulateCalls({ cwd: one.cwd, ...instead, id: one.id, agent: one.agent, expect: "allow" });
  return [...own, ...proposed.map((told) => ({ at, told, isInstead: true }))];
}

function compare(one: HookCase, { agent, tool }: SimulatedCall, answer: Judgement): CaseDifference[] {
  const of = { agent, tool };
  const word = wordOf(answer);
  const received = answer.reason === "" ? word : `${word}: ${answer.reason}`;
  if (word !== one.expect) return [{ ...of, field: "expect", expected: one.expect, received }];
  // A hook that fails denies every call. Only a case that says why means that.
  if (answer.isFailure && one.reason === undefined) {
    return [{ ...of, field: "expect", expected: one.expect, received: `the hook failed: ${answer.reason}` }];
  }
  const differences: CaseDifference[] = [];
  if (one.reason !== undefined && !answer.reason.includes(one.reason)) {
    differences.push({ ...of, field: "reason", expected: one.reason, received: answer.reason });
  }
  if (one.updatedInput !== undefined && !isDeepStrictEqual(answer.updatedInput, one.updatedInput)) {
    const [expected, got] = [one.updatedInput, answer.updatedInput].map((input) => JSON.stringify(input));
    differences.push({ ...of, field: "updatedInput", expected: expected ?? "", received: got ?? "" });
  }
  return differences;
}

function compareInstead({ instead }: HookCase, { agent, tool }: SimulatedCall, answer: Judgement): CaseDifference[] {
  if (answer.verdict === "allow") return [];
  const expected = `allow: ${JSON.stringify(instead?.input)}`;
  return [{ agent, tool, field: "instead", expected, received: `${answer.verdict}: ${answer.reason}` }];
}

function stateOf({ todo = false }: HookCase, differences: number): CaseResult["state"] {
  if (todo) return differences > 0 ? "todo" : "done";
  return differences > 0 ? "failed" : "passed";
}
