import type { HookAdapter } from "../../hot/adapter/adapter.ts";
import { min, now } from "../../hot/primordials.ts";
import type { StateLocation } from "../../hot/read-file.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import type { EventText } from "../enter/event.ts";
import type { Journal } from "../journal/journal.ts";
import { deadlineForPolicy } from "../processes/deadlines.ts";
import { failure, type PolicyAnswer } from "../run/policy-answer.ts";
import { type Callback, callPolicy, type ReadAnswer, readerFor } from "../run/policy-code.ts";
import { newRun, startRun } from "../run/policy-run.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import { blockAsLastResort } from "./call-channel.ts";
import type { Executor } from "./executor.ts";

export interface EvaluationContext extends StateLocation {
  isExplained: boolean;
  /** The caller only wants to know whether a person must be asked; the call itself comes later. */
  isPreflight?: boolean;
}

/** One tool call on its way through the policies that want it. */
export interface CallEvaluation {
  adapter: HookAdapter;
  /** Where uses of exceptions are noted. */
  context: EvaluationContext;
  executor: Executor;
  journal: Journal;
  policies: readonly PreparedPolicy[];
  /** What each policy is asked about, in the same order: the event, or a part of it. */
  events: readonly EventText[];
  callback: Callback;
  /** Null: it is a tool call. */
  lifecycle: LifecycleEvaluation | null;
}

/** What is different where lifecycle hooks are asked about a moment of the session. */
export interface LifecycleEvaluation {
  /** Which answers the event allows. */
  powers: EventPowers;
  read: ReadAnswer;
  /** An answer as the agent can carry it at this moment. */
  adapt: (policy: PreparedPolicy, answer: PolicyAnswer) => PolicyAnswer;
  /** What a person has to be told: which hooks failed where nothing can be held. */
  notice: string | null;
}

/** One policy and what it is asked about. */
export interface PolicyEvaluation {
  call: CallEvaluation;
  policy: PreparedPolicy;
  /** JSON text of the event. */
  event: string;
}

/** Policies that are asked one after the other. */
export interface PolicyQueue<T extends PolicyEvaluation> {
  /** Returns the same turn until its answer is settled. Null: no policy is left to ask. */
  next: () => T | null;
  /** `begun` is in milliseconds since the process started. */
  settle(evaluation: T, answer: PolicyAnswer, begun: number): void;
  onDone: () => void;
}

/** Asks one policy. Returns the answer, or null if `onLate` gets it later. */
export function evaluatePolicy(
  { call: { adapter, executor, callback, lifecycle, context }, policy, event }: PolicyEvaluation,
  onLate: (answer: PolicyAnswer) => void,
): PolicyAnswer | null {
  const { program, timeoutMs } = policy;
  if (program.where === "nowhere") return failure(program.why);
  const begun = now();
  const end = deadlineForPolicy(executor, policy);
  if (begun >= end) return failure("was not asked, since all policies together had used up their time");
  const tell = (late: PolicyAnswer): void => {
    try {
      onLate(lifecycle === null ? fitting(adapter, late) : late);
    } catch {
      blockAsLastResort("the hook process failed, so the call is blocked", context.home);
    }
  };
  if (executor.where === "workers") {
    executor.workers.ask(policy, { callback, event, powers: lifecycle === null ? null : lifecycle.powers }, tell);
    return null;
  }
  const { stage: policyHost } = executor;
  const run = newRun(timeoutMs, min(begun + timeoutMs, end));
  const read = lifecycle === null ? readerFor(callback) : lifecycle.read;
  const answer = startRun(policyHost, run, () => callPolicy(policyHost, run, program.code, { callback, event, read }));
  if (answer !== null) return lifecycle === null ? fitting(adapter, answer) : answer;
  run.onEnd = tell;
  return null;
}

/** An input that the agent cannot take counts as a failure, like any malformed decision. */
function fitting(adapter: HookAdapter, answer: PolicyAnswer): PolicyAnswer {
  if (answer.updatedInput === null) return answer;
  const updatedInput = adapter.takeInput(answer.updatedInput);
  if (updatedInput === null) return failure("returned an updatedInput that this agent cannot take");
  return updatedInput === answer.updatedInput ? answer : { ...answer, updatedInput };
}
