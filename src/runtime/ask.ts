import type { HookAdapter, MomentPowers } from "../agents/adapter.ts";
import { blockBare } from "./answer-agent.ts";
import { type Answer, failure } from "./answer-of-policy.ts";
import type { Asker } from "./asker.ts";
import type { EventText } from "./event.ts";
import type { Journal } from "./journal.ts";
import { type Call, callPolicy } from "./policy-code.ts";
import { newRun, startRun } from "./policy-run.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { min, now } from "./primordials.ts";

/** One tool call on its way through the policies that want it. */
export interface Pass {
  adapter: HookAdapter;
  by: Asker;
  journal: Journal;
  policies: readonly PreparedPolicy[];
  /** By the place of the policy, what it is asked about: the event, or a part of it. */
  events: readonly EventText[];
  callback: Call["callback"];
  /** Of a moment of the session, what its hooks can do; null: it is a tool call. */
  powers: Call["powers"];
  /** What of that this agent can carry. */
  at: MomentPowers | null;
  /** What a person has to be told: hooks that failed where nothing can be held. */
  notice: string | null;
}

/** Asks one policy. The answer, or null when it comes later to `onLate`. */
export function askPolicy(
  { adapter, by, callback, powers }: Pass,
  { policy, event }: { policy: PreparedPolicy; event: string },
  onLate: (answer: Answer) => void,
): Answer | null {
  const { program, timeoutMs } = policy;
  if (program.where === "nowhere") return failure(program.why);
  const begun = now();
  if (begun >= by.until) return failure("was not asked, since all policies together had used up their time");
  const tell = (late: Answer): void => {
    try {
      onLate(powers === null ? fitting(adapter, late) : late);
    } catch {
      blockBare("the hook process failed, so the call is blocked");
    }
  };
  if (by.where === "workers") {
    by.workers.ask(policy, { callback, event, powers }, tell);
    return null;
  }
  const { stage } = by;
  const run = newRun(timeoutMs, min(begun + timeoutMs, by.until));
  const answer = startRun(stage, run, () => callPolicy(stage, run, program.code, { callback, event, powers }));
  if (answer !== null) return powers === null ? fitting(adapter, answer) : answer;
  run.onEnd = tell;
  return null;
}

/** An input that the agent could not take is as wrong as any other malformed decision. */
function fitting(adapter: HookAdapter, answer: Answer): Answer {
  return answer.updatedInput === null || adapter.acceptsInput(answer.updatedInput)
    ? answer
    : failure("returned an updatedInput that this agent cannot take");
}
