import type { LoadedPolytokenHook } from "../read/load.ts";
import type { PolytokenCall } from "../words/call.ts";
import { proceedOutcome } from "../words/decode.ts";
import { effectText, effectVerdict, type FiringVerdict, letsProceed } from "../words/effect.ts";
import { isAwaited, type OutcomeOf, type PolytokenEvent, type PolytokenOutcome } from "../words/events.ts";
import { type HandlerPlace, runPolytokenHook } from "../words/run-hook.ts";

/** What one hook did. */
export interface Firing {
  hook: string;
  /** The file that the hook stands in, and its line. */
  file: string;
  line: number;
  verdict: FiringVerdict;
  outcome: PolytokenOutcome;
  milliseconds: number;
}

export interface PolytokenDispatched<E extends PolytokenEvent = PolytokenEvent> {
  /** Whether the action that the event is about goes on. */
  proceeds: boolean;
  /** That of the hook which stopped it; otherwise the one that proceeds, with the texts of all hooks in their order. */
  outcome: OutcomeOf<E>;
  /** What was fired so far: nothing, where nobody waits for the hooks. */
  firings: readonly Firing[];
  /** All firings, when the last hook has ended. */
  settled: Promise<readonly Firing[]>;
}

interface DispatchRequest<E extends PolytokenEvent> {
  hooks: readonly LoadedPolytokenHook[];
  call: PolytokenCall<E>;
  place: HandlerPlace;
}

/**
 * Fires the hooks that match, one after the other. The first that stops the action, or that cannot decide where that stops
 * it, ends the chain. Nobody waits for the hooks of an event that is over.
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

/** An error says whose it is. */
function named({ hook, outcome }: Firing): PolytokenOutcome {
  return outcome.outcome === "error" ? { outcome: "error", message: `hook ${hook}: ${outcome.message}` } : outcome;
}

/** The outcomes of a chain are of its event: they were read by its table. */
function asOwn<E extends PolytokenEvent>(outcome: PolytokenOutcome): OutcomeOf<E> {
  return outcome as OutcomeOf<E>;
}
