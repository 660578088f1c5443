export {
  type CardHandler,
  type CommandParts,
  command,
  type HttpParts,
  http,
  type WasmParts,
  wasm,
} from "./card-handlers.ts";
export { type AstridHook, astridHook, type ToolEvent } from "./card-hook.ts";
export type { FailAction, HookMatcher } from "./hook.ts";
