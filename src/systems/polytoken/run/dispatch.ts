import type { LoadedPolytokenHook } from "../read/load.ts";
import type { PolytokenCall } from "../words/call.ts";
import { proceedOutcome } from "../words/decode.ts";
import { effectText, effectVerdict, type FiringVerdict, letsProceed } from "../words/effect.ts";
import { isAwaited, type OutcomeOf, type PolytokenEvent, type PolytokenOutcome } from "../words/events.ts";
import { type HandlerContext, runPolytokenHook } from "../words/run-hook.ts";

/** What one hook did. */
export interface Firing {
  hook: string;
  /** The hook's file, and its line there. */
  file: string;
  line: number;
  verdict: FiringVerdict;
  outcome: PolytokenOutcome;
  milliseconds: number;
}

export interface PolytokenDispatched<E extends PolytokenEvent = PolytokenEvent> {
  /** Whether the action that the event is about goes on. */
  proceeds: boolean;
  /**
   * The outcome of the hook that stopped the action; otherwise the one that proceeds, with the texts of all hooks in
   * order.
   */
  outcome: OutcomeOf<E>;
  /** What has fired so far; nothing if nobody waits for the hooks. */
  firings: readonly Firing[];
  /** All firings, once the last hook has ended. */
  settled: Promise<readonly Firing[]>;
}

interface DispatchRequest<E extends PolytokenEvent> {
  hooks: readonly LoadedPolytokenHook[];
  call: PolytokenCall<E>;
  place: HandlerContext;
}

/**
 * Fires the hooks that match, one after the other. A hook that stops the action ends the chain, and so does an error if
 * errors stop the action. Nobody waits for the hooks of an event that is over.
 */
export async function fireHooks<E extends PolytokenEvent>(
  request: DispatchRequest<E>,
): Promise<PolytokenDispatched<E>> {
  const { event } = request.call;
  if (isAwaited(event)) {
    const firings = await fireChain(request);
    return { ...conclude(event, firings), firings, settled: Promise.resolve(firings) };
  }
  return { ...conclude(event, []), firings: [], settled: fireChain(request) };
}

async function fireChain({ hooks, call, place }: DispatchRequest<PolytokenEvent>): Promise<Firing[]> {
  const { event, subject } = call;
  const firings: Firing[] = [];
  for (const hook of hooks) {
    if (hook.event !== event || !hook.matches(subject)) continue;
    const start = performance.now();
    const outcome = await runPolytokenHook(hook, call, place);
    const milliseconds = performance.now() - start;
    const { name, file, line } = hook;
    firings.push({ hook: name, file, line, verdict: effectVerdict(event, outcome), outcome, milliseconds });
    if (!letsProceed(event, outcome)) break;
  }
  return firings;
}

function conclude<E extends PolytokenEvent>(
  event: E,
  firings: readonly Firing[],
): Pick<PolytokenDispatched<E>, "outcome" | "proceeds"> {
  const last = firings.at(-1);
  if (last !== undefined && !letsProceed(event, last.outcome)) {
    return { proceeds: false, outcome: asOwn(named(last)) };
  }
  const texts = firings.flatMap(({ outcome }) => effectText(event, outcome) ?? []);
  return { proceeds: true, outcome: asOwn(proceedOutcome(event, texts.length === 0 ? undefined : texts.join("\n"))) };
}

/** An error names its hook. */
function named({ hook, outcome }: Firing): PolytokenOutcome {
  return outcome.outcome === "error" ? { outcome: "error", message: `hook ${hook}: ${outcome.message}` } : outcome;
}

/** The outcomes of a chain belong to its event, whose table was used to read them. */
function asOwn<E extends PolytokenEvent>(outcome: PolytokenOutcome): OutcomeOf<E> {
  return outcome as OutcomeOf<E>;
}
