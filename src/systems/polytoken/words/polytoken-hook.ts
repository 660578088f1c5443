import { runProgram } from "../../../helpers/outside/programs.ts";
import type { ToolPolicy } from "../../../policy/define.ts";
import type { LifecycleHook } from "../../../policy/define-hook.ts";
import { POLYTOKEN_EVENTS } from "./events.ts";
import { polytokenLifecycleHook } from "./lifecycle-hook.ts";
import type { PolytokenPolicy } from "./policy-parts.ts";
import { toolPolicy } from "./tool-policy.ts";

/**
 * A Polytoken hook in a card. Its script gets the event and the variables that Polytoken would give it, and its answers
 * mean the same. Refused if the hook doesn't declare `exec`.
 */
export function polytokenHook(hook: PolytokenPolicy): LifecycleHook | ToolPolicy {
  if (runProgram === undefined)
    throw new Error(`${hook.name} runs bash, and its hook does not declare the capability exec`);
  return POLYTOKEN_EVENTS[hook.event].subject === "tool" ? toolPolicy(hook) : polytokenLifecycleHook(hook);
}
