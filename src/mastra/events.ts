import type { FinishedToolCall, PendingToolCall, ToolCall } from "./types.ts";

/** What an app may put into its request context to name the session, and what Mastra does. */
const SESSION_KEYS = ["sessionId", "mastra__threadId"];

const LARGEST = 16 * 1024 * 1024;

/** What cannot be put before the policies; the message is for the model. */
class Unreadable extends Error {}

/** The JSON text of an input. Throws an `Unreadable`. */
export function printInput(input: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch {
    text = undefined;
  }
  if (text === undefined)
    throw new Unreadable("drwn: the call has an input that isn't JSON, so no policy could judge it");
  if (text.length > LARGEST) {
    throw new Unreadable(`drwn: the call has an input of more than ${LARGEST} characters, so no policy could judge it`);
  }
  return text;
}

/** An event before a call, around the text of its input. */
export function eventBefore(call: ToolCall, input: string): string {
  return around({ hook_event_name: "PreToolUse", tool_name: call.toolName, ...placeOf(call) }, input);
}

/** The same of a call whose number and agent are not known yet. */
export function eventOfPending({ toolName, requestContext }: PendingToolCall, input: string): string {
  const event = { hook_event_name: "PreToolUse", tool_name: toolName, cwd: process.cwd() };
  return around({ ...event, ...sessionOf(requestContext) }, input);
}

/** What cannot be said of the result is left out: the policies are told all the same. */
export function eventAfter(call: FinishedToolCall, input: string): string {
  const { toolName, output, error } = call;
  const failed = error !== undefined;
  const event = {
    hook_event_name: failed ? "PostToolUseFailure" : "PostToolUse",
    tool_name: toolName,
    ...(failed ? { error: describeError(error) } : { tool_response: printable(output) }),
    ...placeOf(call),
  };
  return around(event, input);
}

function around(event: Record<string, unknown>, input: string): string {
  return `${JSON.stringify(event).slice(0, -1)},"tool_input":${input}}`;
}

function placeOf({ context, metadata = {} }: ToolCall): Record<string, unknown> {
  const { toolCallId, requestContext } = fieldsOf(context);
  const { agentId, agentName } = metadata;
  return {
    cwd: process.cwd(),
    ...sessionOf(requestContext),
    ...textField("tool_call_id", toolCallId),
    ...textField("agent_id", agentId),
    ...textField("agent_name", agentName),
  };
}

/** It is a map in a hook, and a plain object where approval is asked for. */
function sessionOf(requestContext: unknown): Record<string, string> {
  const fields = fieldsOf(requestContext);
  const { get } = fields;
  for (const key of SESSION_KEYS) {
    const value: unknown = typeof get === "function" ? get.call(requestContext, key) : fields[key];
    if (typeof value === "string") return { session_id: value };
  }
  return {};
}

function textField(name: string, value: unknown): Record<string, string> {
  return typeof value === "string" ? { [name]: value } : {};
}

function describeError(error: unknown): { name: string; message: string } {
  const { name, message } = fieldsOf(error);
  return {
    name: typeof name === "string" ? name : "ToolError",
    message: typeof message === "string" ? message : String(printable(error)),
  };
}

function printable(value: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length > LARGEST ? null : value;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
