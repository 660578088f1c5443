export type { PolytokenEvent as HookEvent } from "./events.ts";
export type { PolytokenPolicy } from "./polytoken-hook.ts";
export { polytokenHook } from "./polytoken-hook.ts";
export type { PolytokenHook } from "./run-hook.ts";
