/** A point in Polytoken's agent loop at which it calls hooks. */
export type PolytokenEvent = keyof Outcomes;

/** What hooks on each event may answer, besides an error. */
export interface Outcomes {
  session_start: Allow<"additional_context">;
  pre_user_prompt: { outcome: "accept"; additional_context?: string } | Stopped<"reject">;
  pre_model_turn: { outcome: "proceed"; additional_context?: string } | Stopped<"retry">;
  post_model_turn: Acknowledged;
  pre_tool_use: { outcome: "allow" } | Stopped<"deny">;
  post_tool_use: Acknowledged;
  post_tool_use_failure: Acknowledged;
  stop: { outcome: "stop" } | Stopped<"continue">;
  pre_compaction: Allow<"prepend_to_prompt"> | { outcome: "cancel"; reason: string } | Suppressed;
  post_compaction: Allow<"append_to_output">;
  notification: { outcome: "allow" } | Suppressed;
  facet_switch: Acknowledged;
  subagent_start: Acknowledged;
  subagent_stop: Acknowledged;
}

/** The hook could not decide. */
export interface ErrorOutcome {
  outcome: "error";
  message: string;
}

/** What a hook on this event may answer. */
export type OutcomeOf<E extends PolytokenEvent> = Outcomes[E] | ErrorOutcome;
export type PolytokenOutcome = OutcomeOf<PolytokenEvent>;

type Allow<Field extends string> = { outcome: "allow" } & { [F in Field]?: string };
type Acknowledged = { outcome: "acknowledged" };
type Suppressed = { outcome: "suppress"; reason?: string };
/** For a script that decided with its exit code, includes what it printed. */
type Stopped<Tag extends string> = { outcome: Tag; reason: string; stdout?: string; stderr?: string };

/** What an outcome does to the action that the event is about. */
type Effect = "proceed" | "stop" | "suppress";

/** What happens to the action if a hook reports an error. */
type ErrorRule = "blocks" | "proceeds" | "is-logged";

export interface OutcomeShape {
  effect: Effect;
  /** The fields that it may carry; all are text. */
  fields: readonly string[];
}

interface EventFacts {
  /** What a matcher sees. */
  subject: "tool" | "subagent" | "event";
  /** By tag, without `error`, which every event knows. Empty: nobody waits for the answer. */
  outcomes: Readonly<Record<string, OutcomeShape>>;
  /** The outcome of a script that ends with 0 and prints nothing. */
  proceed: string;
  /** The outcome of a script that ends with 2; null: that is an error. */
  stop: string | null;
  /** The field of the proceed outcome that carries text for the model. */
  text: string | null;
  onError: ErrorRule;
}

const CAPTURED = ["reason", "stdout", "stderr"];

/** Polytoken's own tables, by event. */
export const POLYTOKEN_EVENTS: Readonly<Record<PolytokenEvent, EventFacts>> = {
  session_start: waits({ proceed: "allow", text: "additional_context", onError: "proceeds" }),
  pre_user_prompt: waits({
    proceed: "accept",
    text: "additional_context",
    stop: ["reject", CAPTURED],
    onError: "proceeds",
  }),
  pre_model_turn: waits({
    proceed: "proceed",
    text: "additional_context",
    stop: ["retry", CAPTURED],
    onError: "blocks",
  }),
  post_model_turn: runsOn("event"),
  pre_tool_use: { ...waits({ proceed: "allow", stop: ["deny", CAPTURED], onError: "blocks" }), subject: "tool" },
  post_tool_use: runsOn("tool"),
  post_tool_use_failure: runsOn("tool"),
  stop: waits({ proceed: "stop", stop: ["continue", CAPTURED], onError: "blocks" }),
  pre_compaction: waits({
    proceed: "allow",
    text: "prepend_to_prompt",
    stop: ["cancel", ["reason"]],
    suppress: true,
    onError: "blocks",
  }),
  post_compaction: waits({ proceed: "allow", text: "append_to_output", onError: "proceeds" }),
  notification: waits({ proceed: "allow", suppress: true, onError: "proceeds" }),
  facet_switch: runsOn("event"),
  subagent_start: runsOn("subagent"),
  subagent_stop: runsOn("subagent"),
};

export const POLYTOKEN_HOOK_EVENTS: readonly PolytokenEvent[] = Object.keys(POLYTOKEN_EVENTS).filter(isPolytokenEvent);

export function isPolytokenEvent(name: string): name is PolytokenEvent {
  return Object.hasOwn(POLYTOKEN_EVENTS, name);
}

/** Whether Polytoken waits for the hooks of this event and acts on their answer. */
export function isAwaited(event: PolytokenEvent): boolean {
  return POLYTOKEN_EVENTS[event].onError !== "is-logged";
}

interface Waiting {
  proceed: string;
  text?: string;
  stop?: readonly [tag: string, fields: readonly string[]];
  suppress?: boolean;
  onError: ErrorRule;
}

function waits({ proceed, text, stop, suppress = false, onError }: Waiting): EventFacts {
  const outcomes: Record<string, OutcomeShape> = {
    [proceed]: { effect: "proceed", fields: text === undefined ? [] : [text] },
  };
  if (stop !== undefined) outcomes[stop[0]] = { effect: "stop", fields: stop[1] };
  if (suppress) outcomes["suppress"] = { effect: "suppress", fields: ["reason"] };
  return { subject: "event", outcomes, proceed, stop: stop?.[0] ?? null, text: text ?? null, onError };
}

function runsOn(subject: EventFacts["subject"]): EventFacts {
  return { subject, outcomes: {}, proceed: "acknowledged", stop: null, text: null, onError: "is-logged" };
}

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
