import type { AstridEvent } from "./hook.ts";
import type { HookResult } from "./result.ts";

/** One firing of an event, as handlers get it. */
export interface AstridContext {
  invocationId: string;
  event: AstridEvent;
  sessionId: string | null;
  userId: string | null;
  /** RFC 3339. */
  timestamp: string;
  data: Readonly<Record<string, unknown>>;
}

/** What a command reads and a server gets: the context, and what earlier hooks said. */
export function contextJson(context: AstridContext, previous: readonly HookResult[]): string {
  return JSON.stringify({
    invocation_id: context.invocationId,
    event: context.event,
    session_id: context.sessionId,
    user_id: context.userId,
    timestamp: context.timestamp,
    data: context.data,
    previous_results: previous,
  });
}

/** What a module gets. Its `data` is text that holds JSON. */
export function wasmInput({ event, sessionId, userId, data }: AstridContext): string {
  return JSON.stringify({ event, session_id: sessionId ?? "", user_id: userId, data: JSON.stringify(data) });
}

export function contextVariables(context: AstridContext): Record<string, string> {
  return {
    ASTRID_HOOK_ID: context.invocationId,
    ASTRID_HOOK_EVENT: context.event,
    ASTRID_HOOK_TIMESTAMP: context.timestamp,
    ...(context.sessionId === null ? {} : { ASTRID_SESSION_ID: context.sessionId }),
    ...(context.userId === null ? {} : { ASTRID_USER_ID: context.userId }),
    ...(Object.keys(context.data).length === 0 ? {} : { ASTRID_HOOK_DATA: JSON.stringify(context.data) }),
  };
}

/**
 * Fills in the template's placeholders. Values are escaped for use inside a JSON string, so that none of them can begin
 * a new key. A placeholder that names nothing stays as it is.
 */
export function renderTemplate(template: string, context: AstridContext): string {
  const known: Readonly<Record<string, unknown>> = {
    ...context.data,
    event: context.event,
    invocation_id: context.invocationId,
    timestamp: context.timestamp,
    session_id: context.sessionId ?? "",
    user_id: context.userId ?? "",
  };
  return template.replace(/\{\{([^{}]+)\}\}/gu, (placeholder, name: string) => {
    const key = name.trim();
    return Object.hasOwn(known, key) ? escapeForJson(known[key]) : placeholder;
  });
}

function escapeForJson(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return JSON.stringify(text).slice(1, -1);
}
