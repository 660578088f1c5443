import { type DispatchPaths, resolvePaths } from "../../running/dispatch-paths.ts";
import type { ArawnContext, ArawnEvent } from "../hook/events.ts";
import { loadArawnHooks } from "../read/load.ts";
import { ArawnDispatcher, type ArawnDispatcherOptions, describeArawnFault } from "./dispatcher.ts";
import type { ArawnOutcome } from "./outcome.ts";

export interface ArawnDispatchPaths extends DispatchPaths, Pick<ArawnDispatcherOptions, "onError" | "onNote"> {}

/**
 * Dispatches a single event, for which it reads the files of the user and of the project. A file with a fault blocks
 * tool calls, and `onNote` gets every fault. Rejects with a `TypeError` if Arawn has no such event: the caller must not
 * let it proceed. A caller that dispatches several events counts how often the agent was sent on, and passes it in
 * `kept_going` of a `Stop`.
 */
export async function dispatchArawn<E extends ArawnEvent>(
  event: E,
  context: ArawnContext<E>,
  places: ArawnDispatchPaths = {},
): Promise<ArawnOutcome> {
  const { root, home, env } = resolvePaths(places);
  const { hooks, faults } = loadArawnHooks({ home, root });
  for (const fault of faults) places.onNote?.(describeArawnFault(fault));
  const session = env["ARAWN_SESSION_ID"];
  const known = session === undefined ? {} : { sessionId: session };
  return await new ArawnDispatcher({ ...places, hooks, faults, env, ...known }).dispatch(event, context);
}
