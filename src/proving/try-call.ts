import type { IndexedHook } from "../card/hooks/hook-index.ts";
import type { ProvingQuestion } from "../contract/proving.ts";
import { askCalls } from "./ask-calls.ts";
import { compileHookUnderTest, type ProvenCard } from "./hook-under-test.ts";
import type { Judgement } from "./judgement.ts";
import { withSandbox } from "./sandbox.ts";

/** What one hook says about a call. */
export interface TrialCall {
  hook: string;
  /** Why it wasn't asked; null: it was. */
  notRun: string | null;
  judgement: Judgement | null;
}

export interface TryRequest {
  /** The call, after earlier ones of its session. */
  questions: readonly ProvingQuestion[];
  hooks: readonly IndexedHook[];
  /** Why not to ask a hook; null: ask it. */
  whyNot: (hook: IndexedHook) => string | null;
}

/** Asks hooks about one call, all at once, each in a process of its own. */
export async function tryCall(card: ProvenCard, { questions, hooks, whyNot }: TryRequest): Promise<TrialCall[]> {
  return withSandbox((place) =>
    Promise.all(
      hooks.map(async (hook): Promise<TrialCall> => {
        const notRun = whyNot(hook);
        if (notRun !== null) return { hook: hook.name, notRun, judgement: null };
        const tried = await compileHookUnderTest(card, hook.name);
        const [judgement = null] = await askCalls(place, tried, [{ questions }]);
        return { hook: hook.name, notRun: null, judgement };
      }),
    ),
  );
}
