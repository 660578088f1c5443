import { defineProperty, nodeProcess, startTimer } from "../../hook-base/primordials.ts";
import { confineProcess, pin } from "./confine.ts";
import { endIfAnswered, failRun, failRunByStray, type PolicyHost } from "./policy-run.ts";
import { policyTimers } from "./policy-timers.ts";
import { createTimeLimiter, type SharedTimeLimiter } from "./time-limit.ts";

/** A stage on which all policies of an event run. */
export interface ConfinedPolicyHost extends PolicyHost {
  limiter: SharedTimeLimiter;
}

/**
 * Prepares this process for strangers' policies: it confines it, gives it the engine's own timers, and counts every
 * error that nobody catches against the policy that is being asked. It cannot be undone.
 */
export function startPolicyHost(): ConfinedPolicyHost {
  const onStray = (error: unknown): void => {
    const { run } = policyHost;
    // An error of a policy that has ended says nothing about later ones.
    if (run === null) return;
    if (policyHost.limiter.isRunning()) {
      failRunByStray(run, error);
      return;
    }
    failRun(run, "threw an error that nobody caught");
    startTimer(() => endIfAnswered(policyHost, run), 0);
  };
  const policyHost: ConfinedPolicyHost = { limiter: createTimeLimiter(onStray), run: null };
  // The next call asks `report` whether errors are reported. Node would compile its own for that, and it is removed
  // below anyway.
  defineProperty(process, "report", { value: { reportOnUncaughtException: false }, configurable: true });
  process.setUncaughtExceptionCaptureCallback(onStray);
  const { nextTick } = policyTimers(policyHost);
  // Node uses it to rethrow what listeners of an EventTarget throw, in turns that would count as the next policy's.
  pin(nodeProcess, "nextTick", nextTick);
  confineProcess({
    onEnding: (name) => {
      if (policyHost.run !== null) failRun(policyHost.run, `called process.${name}`);
    },
    env: {},
    nextTick,
    isOutwardAllowed: false,
  });
  return policyHost;
}
