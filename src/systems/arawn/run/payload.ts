import type { ArawnContext, ArawnEvent } from "../hook/events.ts";

/** What is wrong with an event from outside. */
class PayloadFault extends Error {
  override readonly name = "PayloadFault";
}

type Kind = "text" | "object" | "number";

const NEEDED: { readonly [E in ArawnEvent]?: Readonly<Record<string, Kind>> } = {
  PreToolUse: { tool: "text", params: "object" },
  PostToolUse: { tool: "text", params: "object" },
  SessionStart: { session_id: "text" },
  SessionEnd: { session_id: "text", turn_count: "number" },
  Stop: { response: "text" },
};

/** Reads the context of an event from the caller's JSON. Throws a `PayloadFault` if a field isn't what it should be. */
export function readArawnPayload<E extends ArawnEvent>(event: E, text: string): ArawnContext<E> {
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new PayloadFault(`the event on standard input isn't a JSON object`);
  }
  const needed: Readonly<Record<string, Kind>> = NEEDED[event] ?? {};
  for (const [field, kind] of Object.entries(needed)) {
    if (!isOf(kind, Reflect.get(value, field))) {
      throw new PayloadFault(
        `\`${field}\` of a ${event} event should be ${kind === "object" ? "an object" : `a ${kind}`}`,
      );
    }
  }
  // Every field that the event must have has been checked.
  return value as ArawnContext<E>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PayloadFault("the event on standard input is not JSON");
  }
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "text") return typeof value === "string";
  if (kind === "number") return typeof value === "number";
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
