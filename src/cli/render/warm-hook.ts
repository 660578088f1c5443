import type { WarmHook } from "../../operations/warm-hook.ts";

/** Whether a call finds a hook process that is already running. */
export function describeWarmHook({ isOn, works, waiting }: WarmHook): string {
  if (!isOn) return "off: each call starts its own hook process";
  if (!works) return "on, but it does nothing here: it needs Linux. Run: drwn hook warm off";
  return `on: ${waiting.length === 0 ? "no hook process waits" : `${waiting.length} of 2 hook processes wait`} for a call`;
}

/** The line about it in a wider answer; none if it is off. */
export function noteWarmHook(warm: WarmHook): string[] {
  return warm.isOn ? [`Warm hook ${describeWarmHook(warm)}`] : [];
}
