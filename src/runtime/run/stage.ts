import { defineProperty, nodeProcess, startTimer } from "../../hot/primordials.ts";
import { confineProcess } from "./confine.ts";
import { createGuard, type WatchingGuard } from "./guard.ts";
import { pin } from "./policy-globals.ts";
import { endIfAnswered, failRun, failRunByStray, type Stage } from "./policy-run.ts";
import { ownTimers } from "./policy-timers.ts";

/** A stage on which all policies of an event run. */
export interface ConfinedStage extends Stage {
  guard: WatchingGuard;
}

/**
 * Prepares this process for strangers' policies: it confines it, gives it the engine's own timers, and counts every
 * error that nobody catches against the policy that is being asked. It cannot be undone.
 */
export function setStage(): ConfinedStage {
  const onStray = (error: unknown): void => {
    const { run } = stage;
    // An error of a policy that has ended says nothing about later ones.
    if (run === null) return;
    if (stage.guard.isRunning()) {
      failRunByStray(run, error);
      return;
    }
    failRun(run, "threw an error that nobody caught");
    startTimer(() => endIfAnswered(stage, run), 0);
  };
  const stage: ConfinedStage = { guard: createGuard(onStray), run: null };
  // The next call asks `report` whether errors are reported. Node would compile its own for that, and it is removed
  // below anyway.
  defineProperty(process, "report", { value: { reportOnUncaughtException: false }, configurable: true });
  process.setUncaughtExceptionCaptureCallback(onStray);
  const { nextTick } = ownTimers(stage);
  // Node uses it to rethrow what listeners of an EventTarget throw, in turns that would count as the next policy's.
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
