import type { HookAdapter } from "../../hook-base/adapter/adapter.ts";
import { min, now } from "../../hook-base/primordials.ts";
import type { StateLocation } from "../../hook-base/read-file.ts";
import type { EventPowers } from "../../policy/lifecycle-events.ts";
import type { EventText } from "../enter/event.ts";
import type { Journal } from "../journal/journal.ts";
import { type Deadlines, deadlineForPolicy, deadlinesFor, deadlinesInOneProcess } from "../processes/call-deadline.ts";
import type { ProjectPaths } from "../processes/spawn-worker.ts";
import type { StartWorkers, WorkerRequest, Workers } from "../processes/workers.ts";
import { isConfined } from "../run/confine.ts";
import { failure, type PolicyAnswer } from "../run/policy-answer.ts";
import { type Callback, callPolicy, type ReadAnswer, readerFor } from "../run/policy-code.ts";
import { type ConfinedPolicyHost, startPolicyHost } from "../run/policy-host.ts";
import { cutOffRun, newRun, startRun } from "../run/policy-run.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";
import { blockAsLastResort } from "./call-channel.ts";

interface EvaluationContext extends StateLocation {
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

/** What is different where lifecycle hooks are asked about a lifecycle event. */
export interface LifecycleEvaluation {
  /** Which answers the event allows. */
  powers: EventPowers;
  read: ReadAnswer;
  /** An answer as the agent can carry it at this event. */
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
interface PolicyQueue<T extends PolicyEvaluation> {
  /** Returns the same turn until its answer is settled. Null: no policy is left to ask. */
  next: () => T | null;
  /** `begun` is in milliseconds since the process started. */
  settle(evaluation: T, answer: PolicyAnswer, begun: number): void;
  onDone: () => void;
}

/** Asks one policy. Returns the answer, or null if `onLate` gets it later. */
function evaluatePolicy(
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
  const { policyHost } = executor;
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

interface OpenEvaluation<T> {
  evaluation: T;
  begun: number;
  /** Null: it comes later. */
  answer: PolicyAnswer | null;
}

/** Asks each policy in turn. In this process it uses as few watches as can hold every policy to its time. */
export function evaluateInOrder<T extends PolicyEvaluation>({ next, settle, onDone }: PolicyQueue<T>): void {
  /** The policy that was asked and isn't settled yet. */
  let open: OpenEvaluation<T> | null = null;
  const ask = (evaluation: T): OpenEvaluation<T> => {
    const asked: OpenEvaluation<T> = { evaluation, begun: now(), answer: null };
    open = asked;
    asked.answer = evaluatePolicy(evaluation, (late) => {
      settle(evaluation, late, asked.begun);
      proceed();
    });
    return asked;
  };
  const timeFor = ({ call, policy }: T): number =>
    min(policy.timeoutMs, deadlineForPolicy(call.executor, policy) - now());
  const askSeveral = ({ limiter }: ConfinedPolicyHost, first: T): void => {
    let evaluation: T | null = first;
    do {
      const { begun, answer } = ask(evaluation);
      // The policy may have left too little of the watch even for our own code.
      if (answer === null || !limiter.hasRoom()) return;
      // If the watch ends between these lines, the policy is either settled or asked again.
      open = null;
      settle(evaluation, answer, begun);
      evaluation = next();
    } while (evaluation !== null && limiter.admits(timeFor(evaluation)));
  };
  const askUnderWatch = (policyHost: ConfinedPolicyHost, first: T): OpenEvaluation<T> | null => {
    // Each watch settles at least this policy, even if the watch ends before its work begins.
    open = { evaluation: first, begun: now(), answer: null };
    let broken: { error: unknown } | null = null;
    const work = (): void => {
      try {
        askSeveral(policyHost, first);
      } catch (error) {
        broken = { error };
      }
    };
    const isWhole = policyHost.limiter.watch(work, timeFor(first));
    rethrow(broken);
    if (isWhole || open === null) return open;
    return { ...open, answer: open.answer ?? cutOffRun(policyHost, open.evaluation.policy.timeoutMs) };
  };
  const proceed = (): void => {
    for (let evaluation = next(); evaluation !== null; evaluation = next()) {
      const { executor } = evaluation.call;
      // A policy whose time is up is not asked, so it needs no watch.
      const asked =
        executor.where === "here" && timeFor(evaluation) > 0
          ? askUnderWatch(executor.policyHost, evaluation)
          : ask(evaluation);
      if (asked === null) continue;
      if (asked.answer === null) return;
      settle(asked.evaluation, asked.answer, asked.begun);
    }
    onDone();
  };
  proceed();
}

/** A watch swallows errors, so its work keeps them, and they are thrown here. */
function rethrow(broken: { error: unknown } | null): void {
  if (broken !== null) throw broken.error;
}

/** Who runs the policies: this process, if a process without authority can run them all, or workers. */
type Executor = Deadlines &
  ({ where: "here"; policyHost: ConfinedPolicyHost } | { where: "workers"; workers: Workers });

interface ExecutorRequest extends ProjectPaths {
  until: number;
  startWorkers: StartWorkers | null;
  /** A process that answers more than one call sets the stage once. Absent: it isn't set yet. */
  policyHost?: ConfinedPolicyHost | null;
}

/** From here on foreign code runs. */
export function chooseExecutor(
  { until, startWorkers, policyHost, ...ground }: ExecutorRequest,
  work: WorkerRequest,
): Executor {
  if (isConfined())
    return { where: "here", policyHost: policyHost ?? startPolicyHost(), ...deadlinesInOneProcess(work, until) };
  if (startWorkers === null) throw new Error("it was not confined");
  const deadlines = deadlinesFor(work, until);
  return { where: "workers", workers: startWorkers(work, { paths: ground, ...deadlines }), ...deadlines };
}

export function endWorkers(executor: Executor): void {
  if (executor.where === "workers") executor.workers.end();
}
