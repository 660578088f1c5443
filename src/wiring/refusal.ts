import type { Moments } from "../hot/adapter/adapter.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { type HookPhase, isHeldAtStart } from "./launcher.ts";

const REASON =
  "[drwn] the hook does not work, so this is held here. Run: drwn doctor (or remove the entry that calls drwn from the hooks in the settings of your agent)";

/**
 * The answer by which an agent holds this moment, for a hook that cannot even say that it failed; null: it is not to be held
 * then, or cannot be. The end of a turn is not: it would never come.
 */
export function refusalOf(moments: Moments, phase: HookPhase): string | null {
  if (!isLifecycleEvent(phase)) return null;
  const at = moments.powersAt(phase);
  const isHeld = isHeldAtStart(phase) || phase === "model.before";
  if (at === undefined || !at.holds || !isHeld) return null;
  const said = { action: "deny", reason: REASON, context: null, updatedInput: null, notice: null } as const;
  return moments.encode({ ...said, at }).text.trim();
}
