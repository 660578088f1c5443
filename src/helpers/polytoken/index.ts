export type { HookEvent } from "./events.ts";
export type { PolytokenHook } from "./run-hook.ts";
export { type PolytokenPolicy, polytokenHook } from "./tool-policy.ts";
