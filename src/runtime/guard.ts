import { type RunningScriptOptions, Script } from "node:vm";
import { apply, ceil, defineProperty, getField, max, nodeProcess } from "./primordials.ts";

/** Runs foreign code so that not even a loop that never yields outlives its time. */
export interface Guard {
  /**
   * Runs the work and everything it puts on the microtask queue. False: it was cut off when the time was over, and what it
   * left on the queue is gone. The work catches its own errors.
   */
  run(work: () => void, milliseconds: number): boolean;
  isRunning(): boolean;
}

const ENTRY = "__drwnGuarded";
/** Microtasks that were queued before a cut get this long, together, to go away. */
const SWEEP_MS = 5;
const SWEEPS = 3;
const DRAINS = 100;

/** Made once, before any policy is loaded. `onStray` hears of errors that nobody caught, while the work still counts as running. */
export function createGuard(onStray: (error: unknown) => void): Guard {
  const drain = takeDrain();
  let pending: (() => void) | null = null;
  let isRunning = false;
  let isComplete = false;
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
  return {
    run(work, milliseconds) {
      if (attempt(work, milliseconds)) return true;
      for (let i = 0; i < SWEEPS; i++) {
        if (attempt(() => {}, SWEEP_MS)) break;
      }
      return false;
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
