import type { Adapter } from "../agents/adapter.ts";
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
  adapter: Adapter;
  by: Asker;
  journal: Journal;
  policies: readonly PreparedPolicy[];
  /** By the place of the policy, what it is asked about: the event, or a part of it. */
  events: readonly EventText[];
  callback: Call["callback"];
}

/** Asks one policy. The answer, or null when it comes later to `onLate`. */
export function askPolicy(
  { adapter, by, callback }: Pass,
  { policy, event }: { policy: PreparedPolicy; event: string },
  onLate: (answer: Answer) => void,
): Answer | null {
  const { program, timeoutMs } = policy;
  if (program.where === "nowhere") return failure(program.why);
  const begun = now();
  if (begun >= by.until) return failure("was not asked, since all policies together had used up their time");
  const tell = (late: Answer): void => {
    try {
      onLate(fitting(adapter, late));
    } catch {
      blockBare("drwn: the hook process failed, so the call is blocked\n");
    }
  };
  if (by.where === "workers") {
    by.workers.ask(policy, { callback, event }, tell);
    return null;
  }
  const { stage } = by;
  const run = newRun(timeoutMs, min(begun + timeoutMs, by.until));
  const answer = startRun(stage, run, () => callPolicy(stage, run, program.code, { callback, event }));
  if (answer !== null) return fitting(adapter, answer);
  run.onEnd = tell;
  return null;
}

/** An input that the agent could not take is as wrong as any other malformed decision. */
function fitting(adapter: Adapter, answer: Answer): Answer {
  return answer.updatedInput === null || adapter.acceptsInput(answer.updatedInput)
    ? answer
    : failure("returned an updatedInput that this agent cannot take");
}
