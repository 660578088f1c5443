import { getField, newList, now, startMicrotask, startTimer, stopTimer } from "../../hook-base/primordials.ts";
import { failure, type PolicyAnswer, UNREADABLE } from "./policy-answer.ts";
import type { TimeLimiter } from "./time-limit.ts";

type Timer = ReturnType<typeof setTimeout>;

/** One policy that is being asked. Once it has ended, nothing that it started gets another turn. */
export interface PolicyRun {
  timeoutMs: number;
  /** In milliseconds since the process started. */
  deadline: number;
  /** The first answer; a failure replaces it. */
  answer: PolicyAnswer | null;
  hasEnded: boolean;
  timers: (Timer | null)[];
  /** Called at the end if that comes after `startRun` has returned. */
  onEnd: ((answer: PolicyAnswer) => void) | null;
}

/** The policy that is being asked: at most one at a time. */
export interface PolicyHost {
  limiter: TimeLimiter;
  run: PolicyRun | null;
}

export function newRun(timeoutMs: number, deadline: number): PolicyRun {
  return { timeoutMs, deadline, answer: null, hasEnded: false, timers: newList(0, null), onEnd: null };
}

/** Asks one policy. Returns the answer, or null if `onEnd` gets it later. */
export function startRun(policyHost: PolicyHost, run: PolicyRun, work: () => void): PolicyAnswer | null {
  policyHost.run = run;
  enterRun(policyHost, run, work);
  if (run.answer !== null) return endRun(policyHost, run);
  addTimer(run, run.deadline - now(), () => {
    failRun(run, lateReason(run));
    endRun(policyHost, run);
  });
  return null;
}

/** Ends the policy that was being asked when a watch was cut off. */
export function cutOffRun(policyHost: PolicyHost, timeoutMs: number): PolicyAnswer {
  const { run } = policyHost;
  if (run === null) return failure(lateReason({ timeoutMs }));
  // The caller gets the answer from here instead.
  run.onEnd = null;
  failRun(run, lateReason(run));
  return endRun(policyHost, run);
}

/** Runs code of the policy within its remaining time. Never throws. */
function enterRun(policyHost: PolicyHost, run: PolicyRun, work: () => void): void {
  const left = run.deadline - now();
  if (left <= 0) {
    failRun(run, lateReason(run));
    return;
  }
  const isComplete = policyHost.limiter.run(() => {
    try {
      work();
    } catch (error) {
      failRun(run, describeThrown(error));
    }
  }, left);
  if (!isComplete) failRun(run, lateReason(run));
}

/** The same for a later turn of the event loop. */
export function reenterRun(policyHost: PolicyHost, run: PolicyRun, work: () => void): void {
  if (run.hasEnded) return;
  enterRun(policyHost, run, work);
  endIfAnswered(policyHost, run);
}

export function endIfAnswered(policyHost: PolicyHost, run: PolicyRun): void {
  if (run.answer !== null && !run.hasEnded) endRun(policyHost, run);
}

export function answerRun(run: PolicyRun, answer: PolicyAnswer): void {
  if (!run.hasEnded) run.answer ??= answer;
}

export function failRun(run: PolicyRun, why: string): void {
  if (run.hasEnded || (run.answer !== null && run.answer.action === "failure")) return;
  run.answer = failure(why);
}

/** The policy threw an error that nobody caught. A microtask reads the error, since that runs code of the policy. */
export function failRunByStray(run: PolicyRun, error: unknown): void {
  const before = run.answer;
  failRun(run, "threw an error that nobody caught");
  const stray = run.answer;
  if (stray === before) return;
  startMicrotask(() => {
    const why = describeThrown(error);
    if (run.answer === stray && !run.hasEnded) run.answer = failure(why);
  });
}

/** Starts a timer that ends with the run. Returns its index, for `removeTimer`. */
export function addTimer(run: PolicyRun, milliseconds: number, onTime: () => void): number {
  const index = run.timers.length;
  run.timers[index] = startTimer(onTime, milliseconds);
  return index;
}

export function removeTimer(run: PolicyRun, index: number): void {
  const timer = run.timers[index] ?? null;
  if (timer === null) return;
  stopTimer(timer);
  run.timers[index] = null;
}

function endRun(policyHost: PolicyHost, run: PolicyRun): PolicyAnswer {
  const answer = run.answer ?? failure(lateReason(run));
  run.hasEnded = true;
  for (let i = 0; i < run.timers.length; i++) removeTimer(run, i);
  policyHost.run = null;
  run.onEnd?.(answer);
  return answer;
}

function lateReason({ timeoutMs }: Pick<PolicyRun, "timeoutMs">): string {
  return `did not finish within ${timeoutMs} ms`;
}

/** Describes what was thrown. It runs accessors of the thrown value, so it is called under the policy's deadline. */
export function describeThrown(error: unknown): string {
  try {
    if (typeof error === "string") return `threw "${error}"`;
    if (typeof error !== "object" || error === null) return "threw something that isn't an error";
    const name: unknown = getField(error, "name");
    const message: unknown = getField(error, "message");
    if (typeof message !== "string") return "threw something that isn't an error";
    if (name === "UnreadableCommand") return `${UNREADABLE}${message}`;
    return `threw ${typeof name === "string" ? name : "Error"}${message === "" ? "" : `: ${message}`}`;
  } catch {
    return "threw something that cannot be read";
  }
}
