import type { Adapter } from "../agents/adapter.ts";
import { DEADLINES } from "../contract/plan.ts";
import { blockBare } from "./answer-agent.ts";
import { type Answer, failure } from "./answer-of-policy.ts";
import { askChild } from "./child-policy.ts";
import type { EventText } from "./event.ts";
import type { Journal } from "./journal.ts";
import { type Call, callPolicy } from "./policy-code.ts";
import { newRun, type Stage, startRun } from "./policy-run.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { min, now } from "./primordials.ts";

/** One tool call on its way through the policies that want it. */
export interface Pass {
  adapter: Adapter;
  stage: Stage;
  journal: Journal;
  policies: readonly PreparedPolicy[];
  /** By the place of the policy, what it is asked about: the event, or a part of it. */
  events: readonly EventText[];
  callback: Call["callback"];
}

/** Asks one policy. The answer, or null when it comes later to `onLate`. */
export function askPolicy(
  { adapter, stage, callback }: Pass,
  { policy, event }: { policy: PreparedPolicy; event: string },
  onLate: (answer: Answer) => void,
): Answer | null {
  const { program, timeoutMs } = policy;
  if (program.where === "nowhere") return failure(program.why);
  const deadline = min(now() + timeoutMs, DEADLINES.total);
  const left = deadline - now();
  if (left <= 0) return failure("was not asked, since all policies together had used up their time");
  if (program.where === "child")
    return fitting(adapter, askChild(program.child, { callback, event }, { timeoutMs, left }));
  const run = newRun(timeoutMs, deadline);
  const answer = startRun(stage, run, () => callPolicy(stage, run, program.code, { callback, event }));
  if (answer !== null) return fitting(adapter, answer);
  run.onEnd = (late) => {
    try {
      onLate(fitting(adapter, late));
    } catch {
      blockBare("drwn: the hook process failed, so the call is blocked\n");
    }
  };
  return null;
}

/** An input that the agent could not take is as wrong as any other malformed decision. */
function fitting(adapter: Adapter, answer: Answer): Answer {
  return answer.updatedInput === null || adapter.acceptsInput(answer.updatedInput)
    ? answer
    : failure("returned an updatedInput that this agent cannot take");
}
