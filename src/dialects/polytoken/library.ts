/** `darwinian-minds/dialects/polytoken`: Polytoken's hooks, loaded and dispatched as Polytoken does. */

export { PatternFault as GlobFault } from "../../helpers/pattern/syntax.ts";
export {
  type LoadedPolytokenHook as LoadedHook,
  loadPolytokenHooks as loadHooks,
  type PolytokenHookFiles,
} from "./read/load.ts";
export { globalHooksFile, polytokenProjectHooksFile as projectHooksFile } from "./read/paths.ts";
export type { Firing, PolytokenDispatched as Dispatched } from "./run/dispatcher.ts";
export {
  dispatchPolytoken as dispatch,
  type PolytokenContext as HookContext,
  PolytokenDispatcher as HookDispatcher,
  type PolytokenDispatcherOptions as DispatcherOptions,
} from "./run/dispatcher.ts";
export type { EventFields, SessionFacts } from "./words/call.ts";
export type { FiringVerdict } from "./words/events.ts";
export {
  type ErrorOutcome,
  isAwaited,
  isPolytokenEvent as isHookEvent,
  type OutcomeOf,
  type Outcomes,
  POLYTOKEN_HOOK_EVENTS as HOOK_EVENTS,
  type PolytokenEvent as HookEvent,
  type PolytokenOutcome as Outcome,
} from "./words/events.ts";
export { compilePolytokenGlob as compileGlob } from "./words/glob.ts";
export type { PolytokenHook } from "./words/run-hook.ts";
