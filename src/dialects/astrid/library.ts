/** `darwinian-minds/dialects/astrid`: Astrid's hooks, loaded and dispatched as Astrid does it. */
export { HOOK_EVENTS, type HookEvent, isHookEvent } from "../../helpers/astrid/events.ts";
export type {
  CommandHandler,
  FailAction,
  Hook,
  HookHandler,
  HookMatcher,
  HttpHandler,
  WasmHandler,
} from "../../helpers/astrid/hook.ts";
export { BadOutput, combineResults, type HookResult, parseOutput } from "../../helpers/astrid/result.ts";
export { describeFault } from "./describe-fault.ts";
export { type DispatchPlaces, dispatch } from "./dispatch.ts";
export { type DispatcherOptions, type EventContext, HookDispatcher } from "./dispatcher.ts";
export { formatHook } from "./emit.ts";
export { userHooks, workspaceHooks } from "./places.ts";
export { PROFILES, type ProfileName, profileHooks } from "./profiles.ts";
export { discoverHooks, type HookPlaces } from "./read/discover.ts";
export type { LoadedHook, LoadedHooks, LoadFault } from "./read/hook-file.ts";
export type { Dispatched, HookExecution } from "./run-chain.ts";
