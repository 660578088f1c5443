/** `darwinian-minds/dialects/arawn`: Arawn's hooks, loaded and dispatched as Arawn does it. */
export { type DispatchPlaces, dispatch } from "./dispatch.ts";
export { type DispatcherOptions, describeFault, HookDispatcher } from "./dispatcher.ts";
export {
  CORE_EVENTS,
  HOOK_EVENTS,
  type HookContext,
  type HookContexts,
  type HookEvent,
  type ToolContext,
} from "./events.ts";
export type { Generation, HookDef, LoadedHooks, LoadFault, Origin, Subject } from "./hook.ts";
export { blockedResult, type HookOutcome } from "./outcome.ts";
export { loadFile, loadHooks, loadPlugin, type Places } from "./read/load.ts";
