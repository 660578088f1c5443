import { homedir } from "node:os";
import type { HookPaths } from "./app-client.ts";
import type { Guards } from "./events.ts";
import { makeGuards } from "./guards.ts";

export type { HookPaths } from "./app-client.ts";
export type {
  AppHooks,
  FinishedToolCall,
  GuardHooks,
  Guards,
  PendingToolCall,
  Refusal,
  ToolCall,
} from "./events.ts";

/** Guards the agents of one project. `drwn write` makes a module that calls it. */
export function guardProject(place: HookPaths): Guards {
  return makeGuards(() => place);
}

/** The guards of the project around the folder in which the app runs, if drwn has its usual home. */
export const { hooks, requireToolApproval, withHooks } = makeGuards(() => ({
  hook: `${homedir()}/.agents/drwn/bin/hook`,
  project: process.cwd(),
}));
