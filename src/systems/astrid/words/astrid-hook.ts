import type { CardHandler } from "./card-handlers.ts";
import type { AstridEvent } from "./events.ts";
import type { FailAction, HookMatcher } from "./hook.ts";

/** The events that are about a tool's call. */
export type ToolEvent = "pre_tool_call" | "post_tool_call" | "tool_error";

/** A hook of Astrid's in a card. Its place among others is its place in the card. */
export interface AstridHook {
  name: string;
  event: AstridEvent;
  matcher?: HookMatcher;
  handler: CardHandler;
  /** Whole seconds, at most 29; as many when absent. */
  timeoutSecs?: number;
  /** `warn` when absent. */
  failAction?: FailAction;
}
