import type { WarmHook } from "../../operations/warm-hook.ts";

/** Whether calls find a hook process that was started before them. */
export function describeWarmHook({ isOn, works, waiting }: WarmHook): string {
  if (!isOn) return "off: each call starts its own hook process";
  if (!works) return "on, but it does nothing here: it needs Linux. Run: drwn hook warm off";
  return `on: ${waiting.length === 0 ? "no hook process waits" : `${waiting.length} of 2 hook processes wait`} for a call`;
}

/** The line of a page about more than this: none where nobody has turned it on. */
export function noteWarmHook(warm: WarmHook): string[] {
  return warm.isOn ? [`Warm hook ${describeWarmHook(warm)}`] : [];
}
