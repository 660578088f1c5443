import { EVENTS, type HookEvent, isAwaited, type Outcome } from "./events.ts";

/** How one hook's firing is reported. */
export type FiringVerdict = "allowed" | "blocked" | "suppressed" | "error";

export function verdictOf(event: HookEvent, { outcome }: Outcome): FiringVerdict {
  if (outcome === "error") return "error";
  const effect = EVENTS[event].outcomes[outcome]?.effect ?? "proceed";
  return effect === "proceed" ? "allowed" : effect === "stop" ? "blocked" : "suppressed";
}

/** Whether the action goes on, as far as this outcome is concerned. */
export function letsProceed(event: HookEvent, outcome: Outcome): boolean {
  const verdict = verdictOf(event, outcome);
  return verdict === "error" ? EVENTS[event].onError !== "blocks" : verdict === "allowed" || !isAwaited(event);
}

/** The text that an outcome which proceeds adds for the model. */
export function textOf(event: HookEvent, outcome: Outcome): string | undefined {
  const { text } = EVENTS[event];
  const value: unknown = text === null ? undefined : Reflect.get(outcome, text);
  return typeof value === "string" ? value : undefined;
}
