/** `darwinian-minds/dialects/astrid`: Astrid's hooks, loaded and dispatched as Astrid does. */

export type { DispatchPaths } from "../running/event-program.ts";
export { PROFILES, type ProfileName, profileHooks } from "./card/profiles.ts";
export { formatHook } from "./hook/emit.ts";
export { userHooks, workspaceHooks } from "./hook/paths.ts";
export type {
  AstridLoadFault as LoadFault,
  LoadedAstridHook as LoadedHook,
  LoadedAstridHooks as LoadedHooks,
} from "./read/discover.ts";
export { type AstridHookFolders, describeAstridFault as describeFault, discoverHooks } from "./read/discover.ts";
export {
  AstridDispatcher as HookDispatcher,
  type AstridDispatcherOptions as DispatcherOptions,
  dispatchAstrid as dispatch,
  type EventContext,
} from "./run/dispatcher.ts";
export type { AstridDispatched as Dispatched, HookExecution } from "./run/run-chain.ts";
export type {
  CommandHandler,
  FailAction,
  Hook,
  HookHandler,
  HookMatcher,
  HttpHandler,
  WasmHandler,
} from "./words/hook.ts";
export {
  ASTRID_HOOK_EVENTS as HOOK_EVENTS,
  type AstridEvent as HookEvent,
  isAstridEvent as isHookEvent,
} from "./words/hook.ts";
export { BadOutput, combineResults, type HookResult, parseOutput } from "./words/result.ts";
