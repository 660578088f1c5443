/** `darwinian-minds/dialects/astrid`: Astrid's hooks, loaded and dispatched as Astrid does. */

export type { DispatchPaths } from "../running/dispatch-paths.ts";
export { PROFILES, type ProfileName, profileHooks } from "./card/profiles.ts";
export { formatHook } from "./hook/emit.ts";
export { userHooks, workspaceHooks } from "./hook/paths.ts";
export { describeAstridFault as describeFault } from "./read/describe-fault.ts";
export { type AstridHookFolders, discoverHooks } from "./read/discover.ts";
export type {
  AstridLoadFault as LoadFault,
  LoadedAstridHook as LoadedHook,
  LoadedAstridHooks as LoadedHooks,
} from "./read/hook-file.ts";
export { dispatchAstrid as dispatch } from "./run/dispatch.ts";
export {
  AstridDispatcher as HookDispatcher,
  type AstridDispatcherOptions as DispatcherOptions,
  type EventContext,
} from "./run/dispatcher.ts";
export type { AstridDispatched as Dispatched, HookExecution } from "./run/run-chain.ts";
export {
  ASTRID_HOOK_EVENTS as HOOK_EVENTS,
  type AstridEvent as HookEvent,
  isAstridEvent as isHookEvent,
} from "./words/events.ts";
export type {
  CommandHandler,
  FailAction,
  Hook,
  HookHandler,
  HookMatcher,
  HttpHandler,
  WasmHandler,
} from "./words/hook.ts";
export { BadOutput, combineResults, type HookResult, parseOutput } from "./words/result.ts";
