/** The keys with which an app or Mastra names the session in the request context. */
const SESSION_KEYS = ["sessionId", "mastra__threadId"];

const LARGEST = 16 * 1024 * 1024;

/** A call that the policies cannot judge; the message is for the model. */
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

/** The event before a call, around the text of its input. */
export function eventBefore(call: ToolCall, input: string): string {
  return around({ hook_event_name: "PreToolUse", tool_name: call.toolName, ...placeOf(call) }, input);
}

/** The same for a call whose number and agent aren't known yet. */
export function eventOfPending({ toolName, requestContext }: PendingToolCall, input: string): string {
  const event = { hook_event_name: "PreToolUse", tool_name: toolName, cwd: process.cwd() };
  return around({ ...event, ...sessionOf(requestContext) }, input);
}

/** The event after a call. It leaves out a result that cannot be printed, and the policies are still told. */
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

/** The request context is a map in a hook, and a plain object when Mastra asks for approval. */
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

/** The part of a tool call that is read here, as Mastra shows it to a hook. */
export interface ToolCall {
  toolName: string;
  input: unknown;
  context: unknown;
  metadata?: Record<string, unknown>;
}

/** A tool call that was made; `error` if the tool threw. */
export interface FinishedToolCall extends ToolCall {
  output?: unknown;
  error?: unknown;
}

/** What the model gets instead of a call. */
export interface Refusal {
  proceed: false;
  output: unknown;
}

/** The app's own hooks. Mastra's own type of hooks fits. */
export interface AppHooks {
  /** May give a `Refusal`, or a promise of one. */
  beforeToolCall?: (call: ToolCall) => unknown;
  afterToolCall?: (call: FinishedToolCall) => unknown;
}

/** A call about which Mastra asks whether a person has to approve it. */
export interface PendingToolCall {
  toolName: string;
  args: unknown;
  requestContext?: unknown;
}

export interface GuardHooks {
  /** Asks the policies. Only what they let through runs, with the input that they leave. */
  beforeToolCall: (call: ToolCall) => Promise<Refusal | undefined>;
  /** Tells the policies. If that fails, the result stays the same. */
  afterToolCall: (call: FinishedToolCall) => Promise<undefined>;
}

/** The guards for the agents of one project. */
export interface Guards {
  /** For `new Agent({ hooks })`. */
  hooks: GuardHooks;
  /** For `defaultOptions` of an agent: true if a policy asks for a person. */
  requireToolApproval: (call: PendingToolCall) => Promise<boolean>;
  /** Combines your own hooks with the policies, which judge what yours leave. */
  withHooks: (own: AppHooks) => GuardHooks;
  /** Ends the process beside the app, as the app's own end does. A later call starts another. */
  end: () => void;
}
