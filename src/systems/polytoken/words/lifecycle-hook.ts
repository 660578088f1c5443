import { readVariables } from "../../../helpers/outside/programs.ts";
import type { HookEvent, LifecycleHook } from "../../../policy/define-hook.ts";
import { eventNamed } from "../../../policy/event-names.ts";
import type { HookableEvent } from "../../../policy/hook-inputs.ts";
import { polytokenFieldName } from "../../../policy/polytoken-names.ts";
import { powersOf } from "../../../policy/taxonomy.ts";
import { callOf } from "./call.ts";
import { effectReason, effectText, effectVerdict } from "./effect.ts";
import { POLYTOKEN_EVENTS, type PolytokenOutcome } from "./events.ts";
import { compilePolytokenGlob } from "./glob.ts";
import { commonMatcher, type PolytokenPolicy, SCRIPT_MS, sessionOf } from "./policy-parts.ts";
import { runPolytokenHook } from "./run-hook.ts";

/** A lifecycle hook's answer to any event; the engine checks it against what the event takes. */
type Answer = { action: string; reason?: string; additionalContext?: string } | undefined;

/**
 * A Polytoken hook on a moment of the session, as a lifecycle hook. An error holds the moment if Polytoken lets errors
 * stop the action; otherwise it is noted.
 */
export function polytokenLifecycleHook(hook: PolytokenPolicy): LifecycleHook {
  const { event: own, timeoutMs = SCRIPT_MS } = hook;
  const event = eventNamed("polytoken", own) as HookableEvent;
  const { subject, onError } = POLYTOKEN_EVENTS[own];
  const matches = hook.matcher === undefined ? () => true : compilePolytokenGlob(hook.matcher);
  const run = async (hookEvent: HookEvent<HookableEvent>): Promise<Answer> => {
    const env = readVariables();
    const call = callOf(own, fieldsOf(hookEvent), sessionOf(hookEvent, env));
    if (!matches(call.subject)) return undefined;
    return answerOf(
      hook,
      await runPolytokenHook(hook, call, { env, cwd: hookEvent.cwd, timeoutMs, isSupervised: true }),
    );
  };
  return {
    event,
    ...(subject === "event" ? {} : commonMatcher(hook.matcher)),
    timeoutMs,
    onFailure: onError === "blocks" ? "block" : "proceed",
    // Only the event's name tells which outcomes it has, and the name is data here.
    run: run as LifecycleHook["run"],
  };
}

/** The event as the agent sent it, with the names that Polytoken's handlers know. */
function fieldsOf({ event, cwd, input, metadata }: HookEvent<HookableEvent>): Record<string, unknown> {
  // Polytoken doesn't say whether a turn was kept going.
  const own = Object.entries(input).filter(([field]) => field !== "isContinued");
  const named = own.map(([field, value]) => [polytokenFieldName(event, field), value]);
  return { ...metadata, ...(cwd === undefined ? {} : { cwd }), ...Object.fromEntries(named) };
}

/** Throws if the script couldn't decide. */
function answerOf({ event }: PolytokenPolicy, outcome: PolytokenOutcome): Answer {
  if (outcome.outcome === "error") throw new Error(outcome.message);
  const { hold, injects } = powersOf(eventNamed("polytoken", event));
  // Both outcomes end a compaction, one of them quietly.
  if (effectVerdict(event, outcome) !== "allowed" && hold !== null) {
    return { action: hold, reason: effectReason(outcome) };
  }
  const text = effectText(event, outcome);
  return text === undefined || !injects ? undefined : { action: "proceed", additionalContext: text };
}
