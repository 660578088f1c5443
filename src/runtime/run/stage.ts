import { defineProperty, nodeProcess, startTimer } from "../../hot/primordials.ts";
import { confineProcess } from "./confine.ts";
import { createGuard, type WatchingGuard } from "./guard.ts";
import { pin } from "./policy-globals.ts";
import { endIfAnswered, failRun, failRunByStray, type Stage } from "./policy-run.ts";
import { ownTimers } from "./policy-timers.ts";

/** A stage for all policies of an event. */
export interface ConfinedStage extends Stage {
  guard: WatchingGuard;
}

/**
 * Makes this process fit for policies of strangers: confined, with the engine's own timers, and with every error that nobody
 * catches counted against the policy that is being asked. It cannot be undone.
 */
export function setStage(): ConfinedStage {
  const onStray = (error: unknown): void => {
    const { run } = stage;
    // What an ended policy left behind says nothing about the ones after it.
    if (run === null) return;
    if (stage.guard.isRunning()) {
      failRunByStray(run, error);
      return;
    }
    failRun(run, "threw an error that nobody caught");
    startTimer(() => endIfAnswered(stage, run), 0);
  };
  const stage: ConfinedStage = { guard: createGuard(onStray), run: null };
  // The next call asks it whether reports are written of errors. Node's own would be compiled for that, and goes below anyway.
  defineProperty(process, "report", { value: { reportOnUncaughtException: false }, configurable: true });
  process.setUncaughtExceptionCaptureCallback(onStray);
  const { nextTick } = ownTimers(stage);
  // Node's own code throws there what listeners of an EventTarget throw: in turns that would be the next policy's.
  pin(nodeProcess, "nextTick", nextTick);
  confineProcess({
    onEnding: (name) => {
      if (stage.run !== null) failRun(stage.run, `called process.${name}`);
    },
    env: {},
    nextTick,
    isOutwardAllowed: false,
  });
  return stage;
}
