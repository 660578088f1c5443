import { isMapping } from "../../../helpers/guards.ts";
import { parseEvent } from "../../running/event-program.ts";
import type { AstridEvent } from "../words/events.ts";
import type { EventContext } from "./dispatcher.ts";

const CONTEXT_KEYS = ["invocation_id", "event", "session_id", "user_id", "timestamp", "data", "previous_results"];

/**
 * Reads the event from standard input: the context as hooks get it, or only its data. Throws for anything else, for the
 * context of another event, and for a tool call that doesn't name its tool.
 */
export function readAstridPayload(event: AstridEvent, text: string): EventContext {
  const payload = parseEvent(text);
  if (!Object.keys(payload).every((key) => CONTEXT_KEYS.includes(key))) return { data: judgeable(event, payload) };
  const { event: named = event, data = {} } = payload;
  if (named !== event) throw new Error(`the event on standard input is ${JSON.stringify(named)}, not ${event}`);
  if (!isMapping(data)) throw new Error("the data of the event isn't a JSON object");
  return { data: judgeable(event, data), sessionId: textOf(payload, "session_id"), userId: textOf(payload, "user_id") };
}

/** Without the tool's name no matcher would find the call, and every guard would let it pass. */
function judgeable(event: AstridEvent, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (event === "pre_tool_call" && typeof data["tool_name"] !== "string") throw new Error(`${event} has no tool_name`);
  return data;
}

function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = payload[key] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new Error(`the ${key} of the event isn't text`);
}
