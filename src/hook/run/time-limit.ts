import { type RunningScriptOptions, Script } from "node:vm";
import { apply, ceil, defineProperty, getField, max, nodeProcess, now } from "../../hook-base/primordials.ts";

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
 * A time limiter that can put several runs under one watch, because starting a watch takes as long as asking a policy of
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

const ENTRY = "__drwnTimeLimit";
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
  const script = new Script(`${ENTRY}()`, { filename: "drwn-time-limit" });
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
