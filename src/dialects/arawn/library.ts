/** `darwinian-minds/dialects/arawn`: Arawn's hooks, loaded and dispatched as Arawn does. */

export type {
  ArawnLoadFault as LoadFault,
  ArawnSubject as Subject,
  Generation,
  HookDef,
  LoadedArawnHooks as LoadedHooks,
  Origin,
} from "./hook/hook.ts";
export {
  ARAWN_HOOK_EVENTS as HOOK_EVENTS,
  type ArawnContext as HookContext,
  type ArawnEvent as HookEvent,
  CORE_EVENTS,
  type HookContexts,
  type ToolContext,
} from "./hook/hook.ts";
export { type ArawnFolders, loadArawnHooks as loadHooks, loadFile, loadPlugin } from "./read/load.ts";
export {
  ArawnDispatcher as HookDispatcher,
  type ArawnDispatcherOptions as DispatcherOptions,
  type ArawnDispatchPaths as DispatchPlaces,
  type ArawnOutcome as HookOutcome,
  blockedResult,
  describeArawnFault as describeFault,
  dispatchArawn as dispatch,
} from "./run/dispatcher.ts";
