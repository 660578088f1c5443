import { type RunningScriptOptions, Script } from "node:vm";
import { apply, ceil, defineProperty, getField, max, nodeProcess, now } from "../../hot/primordials.ts";

/** Runs foreign code so that not even a loop that never yields outlives its time. */
export interface Guard {
  /**
   * Runs the work and everything it puts on the microtask queue. False: it was cut off when the time was over, and what it
   * left on the queue is gone. The work catches its own errors.
   */
  run(work: () => void, milliseconds: number): boolean;
  isRunning(): boolean;
}

/**
 * A guard that can hold several runs under one watch: to start one takes as long as to ask a policy of ordinary size. Under it a run
 * is cut off at its time or at most `SLACK_MS` later.
 */
export interface WatchingGuard extends Guard {
  /** Runs what makes the runs. False: it was cut off, in the last run or right behind it. */
  watch(work: () => void, milliseconds: number): boolean;
  /** Whether next to nothing of the watch is used up, so that it cannot end in what little is done between two runs. */
  hasRoom(): boolean;
  /** Whether the watch holds a run to these milliseconds, were it to begin at once. */
  admits(milliseconds: number): boolean;
}

const ENTRY = "__drwnGuarded";
/** Microtasks that were queued before a cut get this long, together, to go away. */
const SWEEP_MS = 5;
const SWEEPS = 3;
const DRAINS = 100;
/** How long one watch takes further runs. */
const SLACK_MS = 20;
/** A shorter run has a watch of its own. */
const LEAST_SHARED_MS = 250;

/** Made once, before any policy is loaded. `onStray` hears of errors that nobody caught, while the work still counts as running. */
export function createGuard(onStray: (error: unknown) => void): WatchingGuard {
  const drain = takeDrain();
  let pending: (() => void) | null = null;
  let isRunning = false;
  let isComplete = false;
  /** Of the watch that is open, in milliseconds since the process started; null: none is. */
  let watchEnd: number | null = null;
  let roomEnd = 0;
  defineProperty(globalThis, ENTRY, {
    configurable: false,
    enumerable: false,
    writable: false,
    value: () => {
      const work = pending;
      // Called by somebody else than the script below.
      if (work === null) return;
      pending = null;
      work();
      drainAll(drain, onStray);
      isComplete = true;
    },
  });
  // `timeout` of node:vm is what stops a loop; the drain inside makes it hold for code behind an `await`, too.
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

/** An error that leaves the queue leaves the rest of it behind. */
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

/** Node's own drain of the microtask and tick queues; policies do not get it. */
function takeDrain(): () => void {
  const drain: unknown = getField(process, "_tickCallback");
  if (typeof drain !== "function") throw new Error("this Node has no process._tickCallback");
  return () => {
    apply(drain, nodeProcess, []);
  };
}
