import { type RunningScriptOptions, Script } from "node:vm";
import {
  apply,
  ceil,
  defineProperty,
  getField,
  max,
  newList,
  nodeProcess,
  now,
  startMicrotask,
  startTimer,
  stopTimer,
} from "../../hook-base/primordials.ts";
import { failure, type PolicyAnswer, UNREADABLE } from "./policy-answer.ts";

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

/** Runs foreign code under a time limit that even a loop that never yields cannot outlive. */
export interface TimeLimiter {
  /**
   * Runs the work and everything it puts on the microtask queue. False: it was cut off when the time was over, and its
   * queued microtasks are dropped. The work catches its own errors.
   */
  run(work: () => void, milliseconds: number): boolean;
  isRunning(): boolean;
}

/**
 * A guard that can put several runs under one watch, because starting a watch takes as long as asking a policy of
 * ordinary size. It cuts a run off when its time is over, or at most `SLACK_MS` later.
 */
export interface SharedTimeLimiter extends TimeLimiter {
  /** Does work that consists of several runs. False: it was cut off, during the last run or right after it. */
  watch(work: () => void, milliseconds: number): boolean;
  /** Whether so little of the watch is used up that it cannot end in our own code between two runs. */
  hasRoom(): boolean;
  /** Whether the watch would hold a run that begins right now to these milliseconds. */
  admits(milliseconds: number): boolean;
}

const ENTRY = "__drwnGuarded";
/** How long a sweep after a cut lets the remaining microtasks run. */
const SWEEP_MS = 5;
const SWEEPS = 3;
const DRAINS = 100;
/** How long a watch accepts further runs. */
const SLACK_MS = 20;
/** A shorter run has a watch of its own. */
const LEAST_SHARED_MS = 250;

/**
 * Call it once, before any policy is loaded. `onStray` gets errors that nobody caught, while the work still counts as
 * running.
 */
export function createTimeLimiter(onStray: (error: unknown) => void): SharedTimeLimiter {
  const drain = takeDrain();
  let pending: (() => void) | null = null;
  let isRunning = false;
  let isComplete = false;
  /** When the open watch ends, in milliseconds since the process started; null: none is open. */
  let watchEnd: number | null = null;
  let roomEnd = 0;
  defineProperty(globalThis, ENTRY, {
    configurable: false,
    enumerable: false,
    writable: false,
    value: () => {
      const work = pending;
      // Somebody other than the script below called it.
      if (work === null) return;
      pending = null;
      work();
      drainAll(drain, onStray);
      isComplete = true;
    },
  });
  // The `timeout` of node:vm stops a loop; the drain inside extends it to code after an `await`.
  const script = new Script(`${ENTRY}()`, { filename: "drwn-guard" });
  const { runInThisContext } = Script.prototype;
  const attempt = (work: () => void, milliseconds: number): boolean => {
    pending = work;
    isComplete = false;
    isRunning = true;
    try {
      apply(runInThisContext, script, [optionsFor(milliseconds)]);
    } catch {
      // Cut off: `isComplete` says so.
    }
    isRunning = false;
    pending = null;
    return isComplete;
  };
  const runWatched = (work: () => void, milliseconds: number): boolean => {
    if (attempt(work, milliseconds)) return true;
    for (let i = 0; i < SWEEPS; i++) {
      if (attempt(() => {}, SWEEP_MS)) break;
    }
    return false;
  };
  return {
    run(work, milliseconds) {
      if (watchEnd === null) return runWatched(work, milliseconds);
      work();
      drainAll(drain, onStray);
      return true;
    },
    watch(work, milliseconds) {
      const begun = now();
      const slack = milliseconds < LEAST_SHARED_MS ? 0 : SLACK_MS;
      roomEnd = begun + slack;
      watchEnd = begun + milliseconds + slack;
      const isWhole = runWatched(work, milliseconds + slack);
      watchEnd = null;
      return isWhole;
    },
    hasRoom: () => now() < roomEnd,
    admits(milliseconds) {
      const left = (watchEnd ?? 0) - now() - milliseconds;
      return milliseconds >= LEAST_SHARED_MS && left >= 0 && left <= SLACK_MS;
    },
    isRunning: () => isRunning,
  };
}

/** An error that escapes a microtask stops the drain, so the rest needs another one. */
function drainAll(drain: () => void, onStray: (error: unknown) => void): void {
  for (let i = 0; i < DRAINS; i++) {
    try {
      drain();
      return;
    } catch (error) {
      onStray(error);
    }
  }
}

function optionsFor(milliseconds: number): RunningScriptOptions {
  const options = { timeout: max(1, ceil(milliseconds)), displayErrors: false, breakOnSigint: false };
  return { __proto__: null, ...options } as RunningScriptOptions;
}

/** Node's own function that drains the microtask and tick queues. Policies cannot reach it. */
function takeDrain(): () => void {
  const drain: unknown = getField(process, "_tickCallback");
  if (typeof drain !== "function") throw new Error("this Node has no process._tickCallback");
  return () => {
    apply(drain, nodeProcess, []);
  };
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
