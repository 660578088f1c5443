import type { CardHandler } from "./card-handlers.ts";
import type { AstridEvent } from "./events.ts";
import type { FailAction, HookMatcher } from "./hook.ts";

/** The events about a tool call. */
export type ToolEvent = "pre_tool_call" | "post_tool_call" | "tool_error";

/** A hook of Astrid's in a card. Hooks run in the order that they have in the card. */
export interface AstridHook {
  name: string;
  event: AstridEvent;
  matcher?: HookMatcher;
  handler: CardHandler;
  /** Whole seconds, at most 29; 29 when absent. */
  timeoutSecs?: number;
  /** `warn` when absent. */
  failAction?: FailAction;
}
