import { isPolytokenEvent, POLYTOKEN_EVENTS, type PolytokenEvent } from "./events.ts";

/** What an event is about. Handlers also get whatever else is there. */
export type EventFields<E extends PolytokenEvent> = { readonly [field: string]: unknown } & (E extends ToolEvent
  ? { readonly tool_name: string; readonly input?: unknown }
  : E extends SubagentEvent
    ? { readonly subagent_type: string }
    : object);

type ToolEvent = "pre_tool_use" | "post_tool_use" | "post_tool_use_failure";
type SubagentEvent = "subagent_start" | "subagent_stop";

/** What is known about the session. What isn't known isn't set for the handlers. */
export interface SessionFacts {
  sessionId?: string | undefined;
  /** The folder in which the session works. */
  projectDir?: string | undefined;
  /** The project as which it is registered. */
  projectPath?: string | undefined;
  /** Nobody can be asked. */
  nonInteractive?: boolean | undefined;
  goalActive?: boolean | undefined;
  facetName?: string | undefined;
  modelName?: string | undefined;
}

/** What Polytoken told the process around the handlers. */
export function sessionFrom(env: Readonly<Record<string, string | undefined>>): SessionFacts {
  return {
    sessionId: env["POLYTOKEN_SESSION_ID"],
    projectDir: env["POLYTOKEN_PROJECT_DIR"],
    projectPath: env["POLYTOKEN_PROJECT_PATH"],
    // Polytoken's page doesn't say how the value is spelled. A guard must not assume that somebody is there when nobody
    // is.
    nonInteractive: !["", "0", "false"].includes(env["POLYTOKEN_NON_INTERACTIVE"] ?? ""),
    goalActive: env["POLYTOKEN_GOAL_ACTIVE"] === "true",
    facetName: env["POLYTOKEN_FACET_NAME"],
    modelName: env["POLYTOKEN_MODEL_NAME"],
  };
}

/** One instance of an event. */
export interface PolytokenCall<E extends PolytokenEvent = PolytokenEvent> {
  event: E;
  subject: string;
  fields: Readonly<Record<string, unknown>>;
  session: SessionFacts;
}

/** Throws a `TypeError` if the event lacks what its matchers are compared with: no hook could judge it. */
export function callOf<E extends PolytokenEvent>(
  event: E,
  fields: Readonly<Record<string, unknown>>,
  session: SessionFacts = {},
): PolytokenCall<E> {
  return { event, subject: subjectOf(event, fields), fields, session };
}

function subjectOf(event: PolytokenEvent, fields: Readonly<Record<string, unknown>>): string {
  if (!isPolytokenEvent(event)) throw new TypeError(`${event} isn't an event of Polytoken`);
  const { subject } = POLYTOKEN_EVENTS[event];
  if (subject === "event") return event;
  const field = subject === "tool" ? "tool_name" : "subagent_type";
  const value = fields[field];
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`${event} has no ${field}`);
}

/** The JSON that a handler reads. */
export function inputOfCall({ event, subject, fields, session }: PolytokenCall): string {
  const { sessionId } = session;
  return JSON.stringify({
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...fields,
    event,
    matcher_subject: subject,
  });
}

/** The variables that a handler gets besides those of the process around it. Unknown ones are removed. */
export function variablesOf(
  { event, subject, session }: PolytokenCall,
  handler: string,
): Record<string, string | undefined> {
  return {
    POLYTOKEN_HOOK_EVENT: event,
    POLYTOKEN_HANDLER_NAME: handler,
    POLYTOKEN_HOOK_MATCHER_SUBJECT: subject,
    POLYTOKEN_NON_INTERACTIVE: String(session.nonInteractive === true),
    POLYTOKEN_GOAL_ACTIVE: String(session.goalActive === true),
    POLYTOKEN_SESSION_ID: session.sessionId,
    POLYTOKEN_PROJECT_DIR: session.projectDir,
    POLYTOKEN_PROJECT_PATH: session.projectPath,
    POLYTOKEN_FACET_NAME: session.facetName,
    POLYTOKEN_MODEL_NAME: session.modelName,
  };
}
