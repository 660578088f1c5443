import { type DispatchPaths, resolvePaths } from "../../running/dispatch-paths.ts";
import { userHooks } from "../hook/paths.ts";
import { describeAstridFault } from "../read/describe-fault.ts";
import { discoverHooks } from "../read/discover.ts";
import type { AstridEvent } from "../words/events.ts";
import { AstridDispatcher, type EventContext } from "./dispatcher.ts";
import type { AstridDispatched } from "./run-chain.ts";

/**
 * Dispatches a single event, for which it reads the files of the workspace and of the user. Faults of files are among
 * the warnings; a fault in a hook that rejects when it fails rejects the event. Rejects with a `TypeError` if Astrid
 * has no such event: the caller must not let it proceed.
 */
export async function dispatchAstrid(
  event: AstridEvent,
  context: EventContext,
  places: DispatchPaths = {},
): Promise<AstridDispatched> {
  const { root, home, env } = resolvePaths(places);
  const extraPaths = home === null ? [] : [userHooks({ env, home })];
  const { hooks, faults } = discoverHooks({ root, extraPaths });
  const dispatcher = new AstridDispatcher({ hooks: hooks.map(({ hook }) => hook), faults, root, env });
  try {
    const dispatched = await dispatcher.dispatch(event, context);
    return { ...dispatched, warnings: [...faults.map(describeAstridFault), ...dispatched.warnings] };
  } finally {
    dispatcher.close();
  }
}
