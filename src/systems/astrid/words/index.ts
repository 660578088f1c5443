export type { AstridHook, ToolEvent } from "./astrid-hook.ts";
export {
  type CardHandler,
  type CommandParts,
  command,
  type HttpParts,
  http,
  type WasmParts,
  wasm,
} from "./card-handlers.ts";
export { astridHook } from "./card-hook.ts";
export type { AstridEvent as HookEvent } from "./events.ts";
export type { FailAction, HookMatcher } from "./hook.ts";
