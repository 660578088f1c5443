/** `darwinian-minds/dialects/polytoken`: Polytoken's hooks, loaded and dispatched as Polytoken does it. */
export type { EventFields, SessionFacts } from "../../helpers/polytoken/call.ts";
export type { FiringVerdict } from "../../helpers/polytoken/effect.ts";
export {
  type ErrorOutcome,
  HOOK_EVENTS,
  type HookEvent,
  isAwaited,
  isHookEvent,
  type Outcome,
  type OutcomeOf,
  type Outcomes,
} from "../../helpers/polytoken/events.ts";
export { compileGlob, GlobFault } from "../../helpers/polytoken/glob.ts";
export type { PolytokenHook } from "../../helpers/polytoken/run-hook.ts";
export { globalHooksFile, projectHooksFile } from "./places.ts";
export { type HooksPlaces, type LoadedHook, loadHooks } from "./read/load.ts";
export type { Dispatched, Firing } from "./run/dispatch.ts";
export { type DispatcherOptions, dispatch, type HookContext, HookDispatcher } from "./run/dispatcher.ts";
