import type { HookEvent } from "../../helpers/astrid/events.ts";
import { isRecord } from "../../helpers/match-field.ts";
import type { EventContext } from "./dispatcher.ts";

const CONTEXT_KEYS = ["invocation_id", "event", "session_id", "user_id", "timestamp", "data", "previous_results"];

/**
 * The event on standard input: the context as hooks get it, or only its data. Throws for what is neither, and for the context of
 * another event.
 */
export function readPayload(event: HookEvent, text: string): EventContext {
  const payload: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (!isRecord(payload)) throw new Error("the event on standard input is no JSON object");
  if (!Object.keys(payload).every((key) => CONTEXT_KEYS.includes(key))) return { data: payload };
  const { event: named = event, data = {} } = payload;
  if (named !== event) throw new Error(`the event on standard input is ${JSON.stringify(named)}, not ${event}`);
  if (!isRecord(data)) throw new Error("the data of the event is no JSON object");
  return { data, sessionId: textOf(payload, "session_id"), userId: textOf(payload, "user_id") };
}

function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = payload[key] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new Error(`the ${key} of the event is no text`);
}
