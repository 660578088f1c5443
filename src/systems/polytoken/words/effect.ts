import { isAwaited, POLYTOKEN_EVENTS, type PolytokenEvent, type PolytokenOutcome } from "./events.ts";

/** How one hook's firing is reported. */
export type FiringVerdict = "allowed" | "blocked" | "suppressed" | "error";

export function effectVerdict(event: PolytokenEvent, { outcome }: PolytokenOutcome): FiringVerdict {
  if (outcome === "error") return "error";
  const effect = POLYTOKEN_EVENTS[event].outcomes[outcome]?.effect ?? "proceed";
  return effect === "proceed" ? "allowed" : effect === "stop" ? "blocked" : "suppressed";
}

/** Whether this outcome lets the action go on. */
export function letsProceed(event: PolytokenEvent, outcome: PolytokenOutcome): boolean {
  const verdict = effectVerdict(event, outcome);
  return verdict === "error"
    ? POLYTOKEN_EVENTS[event].onError !== "blocks"
    : verdict === "allowed" || !isAwaited(event);
}

/** The text for the model that an outcome adds when it proceeds. */
export function effectText(event: PolytokenEvent, outcome: PolytokenOutcome): string | undefined {
  const { text } = POLYTOKEN_EVENTS[event];
  const value: unknown = text === null ? undefined : Reflect.get(outcome, text);
  return typeof value === "string" ? value : undefined;
}

/** Why an outcome stops the action: its reason, with whatever else the script printed. */
export function effectReason(outcome: PolytokenOutcome): string {
  const texts = ["reason", "stdout", "stderr"].flatMap((field) => {
    const value: unknown = Reflect.get(outcome, field);
    return typeof value === "string" ? value.trim() || [] : [];
  });
  return [...new Set(texts)].join("\n") || `the hook answered ${outcome.outcome}`;
}
