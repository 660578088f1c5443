import type { Moments } from "../hot/adapter/adapter.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { type EntryManners, type HookPhase, isHeldAtStart } from "./launcher.ts";

const REASON =
  "[drwn] the hook does not work, so this is held here. Run: drwn doctor (or remove the entry that calls drwn from the hooks in the settings of your agent)";

/** For an agent that takes a refusal as an answer, not as an exit code. */
export function mannersByAnswer(moments: Moments, phase: HookPhase): EntryManners {
  const refusal = refusalOf(moments, phase);
  return refusal === null ? {} : { refusal };
}

/**
 * The answer with which an agent holds this moment, for a hook that cannot even say that it failed; null: the moment
 * must not or cannot be held. The end of a turn isn't held, since it would never come.
 */
function refusalOf(moments: Moments, phase: HookPhase): string | null {
  if (!isLifecycleEvent(phase)) return null;
  const at = moments.powersAt(phase);
  const isHeld = isHeldAtStart(phase) || phase === "model.before";
  if (at === undefined || !at.holds || !isHeld) return null;
  const said = { action: "deny", reason: REASON, context: null, updatedInput: null } as const;
  return moments.encode({ ...said, at, notice: null, isFailure: true }).text.trim();
}
