export type { AstridHook, ToolEvent } from "./card-hook.ts";
export {
  astridHook,
  type CardHandler,
  type CommandParts,
  command,
  type HttpParts,
  http,
  type WasmParts,
  wasm,
} from "./card-hook.ts";
export type { AstridEvent as HookEvent, FailAction, HookMatcher } from "./hook.ts";
