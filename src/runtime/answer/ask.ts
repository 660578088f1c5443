import type { HookAdapter } from "../../hot/adapter/adapter.ts";
import { min, now } from "../../hot/primordials.ts";
import type { StatePlace } from "../../hot/read-file.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import type { EventText } from "../enter/event.ts";
import type { Journal } from "../journal/journal.ts";
import { endFor } from "../processes/ends.ts";
import { failure, type PolicyAnswer } from "../run/answer-of-policy.ts";
import { type Callback, callPolicy, type ReadAnswer, readerFor } from "../run/policy-code.ts";
import { newRun, startRun } from "../run/policy-run.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import { blockBare } from "./answer-agent.ts";
import type { Asker } from "./asker.ts";

export interface PassPlace extends StatePlace {
  isExplained: boolean;
  /** The caller only wants to know whether a person must be asked; the call itself comes later. */
  isRehearsed?: boolean;
}

/** One tool call on its way through the policies that want it. */
export interface Pass {
  adapter: HookAdapter;
  /** Where uses of exceptions are noted. */
  place: PassPlace;
  by: Asker;
  journal: Journal;
  policies: readonly PreparedPolicy[];
  /** What each policy is asked about, in the same order: the event, or a part of it. */
  events: readonly EventText[];
  callback: Callback;
  /** Null: it is a tool call. */
  moment: MomentPass | null;
}

/** What is different where lifecycle hooks are asked about a moment of the session. */
export interface MomentPass {
  /** Which answers the event allows. */
  powers: EventPowers;
  read: ReadAnswer;
  /** An answer as the agent can carry it at this moment. */
  carry: (policy: PreparedPolicy, answer: PolicyAnswer) => PolicyAnswer;
  /** What a person has to be told: which hooks failed where nothing can be held. */
  notice: string | null;
}

/** One policy and what it is asked about. */
export interface Turn {
  pass: Pass;
  policy: PreparedPolicy;
  /** JSON text of the event. */
  event: string;
}

/** Policies that are asked one after the other. */
export interface PolicyQueue<T extends Turn> {
  /** Returns the same turn until its answer is settled. Null: no policy is left to ask. */
  next: () => T | null;
  /** `begun` is in milliseconds since the process started. */
  settle(turn: T, answer: PolicyAnswer, begun: number): void;
  onDone: () => void;
}

/** Asks one policy. Returns the answer, or null if `onLate` gets it later. */
export function askPolicy(
  { pass: { adapter, by, callback, moment, place }, policy, event }: Turn,
  onLate: (answer: PolicyAnswer) => void,
): PolicyAnswer | null {
  const { program, timeoutMs } = policy;
  if (program.where === "nowhere") return failure(program.why);
  const begun = now();
  const end = endFor(by, policy);
  if (begun >= end) return failure("was not asked, since all policies together had used up their time");
  const tell = (late: PolicyAnswer): void => {
    try {
      onLate(moment === null ? fitting(adapter, late) : late);
    } catch {
      blockBare("the hook process failed, so the call is blocked", place.home);
    }
  };
  if (by.where === "workers") {
    by.workers.ask(policy, { callback, event, powers: moment === null ? null : moment.powers }, tell);
    return null;
  }
  const { stage } = by;
  const run = newRun(timeoutMs, min(begun + timeoutMs, end));
  const read = moment === null ? readerFor(callback) : moment.read;
  const answer = startRun(stage, run, () => callPolicy(stage, run, program.code, { callback, event, read }));
  if (answer !== null) return moment === null ? fitting(adapter, answer) : answer;
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
