import type { LifecycleAdapter } from "../hot/adapter/adapter.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { type HookPhase, isHeldAtStart } from "./launcher.ts";

const REASON = "[drwn] the hook does not work, so this is held. Run: drwn doctor (or remove this hook)";

/**
 * The answer with which an agent holds this moment that takes a refusal as an answer, not as an exit code, for a hook that
 * cannot even say that it failed; undefined: the moment must not or cannot be held. The end of a turn isn't held, since it
 * would never come.
 */
export function fallbackAnswerAt(lifecycleAdapter: LifecycleAdapter, phase: HookPhase): string | undefined {
  if (!isLifecycleEvent(phase)) return undefined;
  const at = lifecycleAdapter.powersAt(phase);
  const isHeld = isHeldAtStart(phase) || phase === "model.before";
  if (at === undefined || !at.holds || !isHeld) return undefined;
  const said = { action: "deny", reason: REASON, context: null, updatedInput: null } as const;
  return lifecycleAdapter.encode({ ...said, powers: at, notice: null, isFailure: true }).text.trim();
}
