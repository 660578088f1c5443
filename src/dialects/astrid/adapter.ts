import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type DecodedLifecycleEvent,
  type LifecycleAdapter,
  type LifecyclePowers,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../hook-base/adapter/adapter.ts";
import { decodeInput } from "../../hook-base/adapter/lifecycle-format.ts";
import {
  canonicalOf,
  describeCall,
  errorOf,
  ofAnotherKind,
  requireInput,
  requirePhase,
  requireTool,
} from "../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../hook-base/primordials.ts";
import { BrokenEvent } from "../../hook-base/read-input.ts";
import { isRecord } from "../../hook-base/shape.ts";
import { astridFieldsOf } from "../../policy/astrid-fields.ts";
import { EVENT_NAMES, NATIVE_TOOLS, nameIn } from "../../policy/dialect-names.ts";
import type { Phase } from "../../policy/event.ts";
import {
  type CanonicalEvent,
  isCanonicalEvent,
  type LifecycleEvent,
  powersOf,
  REQUIRED_INPUTS,
} from "../../policy/lifecycle-events.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  pre_tool_call: "pre-tool",
  post_tool_call: "post-tool",
  tool_error: "post-tool",
};

const CANONICAL: Readonly<Record<string, string>> = NATIVE_TOOLS.astrid;

/** The server that Astrid names for its own tools. */
const BUILT_IN = "builtin";

/** Astrid's protocol has a field for changed arguments, but no known version heeds it. So a rewrite blocks the call. */
export const astrid: Adapter = {
  runtime: "astrid",
  title: "Astrid",
  can: ableTo("deny", "ask", "after-call", "after-failure"),
  onlyIf: { ask: "its version waits for the answer" },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"action":"block","reason":${quoteJson(text)}}\n`,
  takeInput: (text) => text,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { event, data, session_id, ...others } = wire;
  requirePhase(event, phase, PHASES);
  if (!isRecord(data)) throw new BrokenEvent("has no object in data");
  const { tool_name, server_name, arguments: input = {}, result, error, is_error, ...rest } = data;
  const tool = requireTool(tool_name, "tool_name");
  const toolName = canonicalOf(serverToolName(tool, server_name), CANONICAL);
  return describeCall({
    tool,
    toolName,
    input: requireInput(input, "arguments"),
    output: result,
    error: event === "tool_error" || is_error === true ? errorOf(error ?? "the tool failed") : undefined,
    cwd: undefined,
    sessionId: session_id,
    metadata: { ...others, ...rest, tool_name, ...(server_name === undefined ? {} : { server_name }) },
  });
}

/** The name that other agents give a server's tool. */
function serverToolName(tool: string, server: unknown): string {
  return typeof server === "string" && server !== "" && server !== BUILT_IN ? `mcp__${server}__${tool}` : tool;
}

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  if (action === "ask") {
    return { text: `{"action":"ask","question":${quoteJson(reason)},"default":null}\n`, effective: "ask" };
  }
  return { text: `{"action":"block","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}

/**
 * Any hook of Astrid's may give any verdict. No known version heeds a change, so a change holds the event if it can be
 * held. Text for the model goes as `context` among the modifications.
 */
export const astridLifecycle: LifecycleAdapter = {
  get names() {
    const events = Object.values(EVENT_NAMES.astrid).filter((event) => event !== "tool.before");
    return events.map((event) => [event, nameIn("astrid", event) ?? event] as const);
  },
  powersAt,
  decode: decodeLifecycle,
  encode: encodeLifecycle,
  toWire: (event, { isContinued: _, ...input }) => ({
    event: nameIn("astrid", event),
    data: Object.fromEntries(Object.entries(input).map(([field, value]) => [fieldName(event, field), value])),
  }),
};

function powersAt(event: LifecycleEvent): LifecyclePowers | undefined {
  const name = event === "tool.before" ? undefined : nameIn("astrid", event);
  if (name === undefined) return undefined;
  const { hold, injects } = powersOf(event);
  const isAfterCall = event === "tool.after" || event === "tool.failure";
  return {
    name,
    holds: hold !== null,
    injects: injects && !isAfterCall,
    shows: false,
    transforms: false,
    asks: hold !== null,
  };
}

function fieldName(event: LifecycleEvent, field: string): string {
  const fields = astridFieldsOf(event);
  return Object.hasOwn(fields, field) ? String(fields[field]) : field;
}

function decodeLifecycle(wire: Wire, event: LifecycleEvent): DecodedLifecycleEvent {
  const name = nameIn("astrid", event);
  const { event: named, data = {}, session_id, ...others } = wire;
  if (name === undefined || !isCanonicalEvent(event) || event === "tool.before")
    throw new BrokenEvent("isn't one that this agent has");
  if (named !== name) throw ofAnotherKind(event);
  if (!isRecord(data)) throw new BrokenEvent("has no data");
  const fields = Object.entries(astridFieldsOf(event));
  const input = inputOf(data, event);
  const decoded = decodeInput(input, { event, nameOf: (field) => fieldName(event, field), otherName: name });
  const { tool_name, server_name } = data;
  const isOfTool = powersOf(event).subject === "tool";
  const subject = isOfTool
    ? canonicalOf(serverToolName(decoded.subject, server_name), NATIVE_TOOLS.astrid)
    : decoded.subject;
  const rest = Object.entries(data).filter(([key]) => !fields.some(([, own]) => own === key));
  return {
    input,
    subject,
    aliases: subject === decoded.subject ? [] : [decoded.subject],
    isContinued: null,
    rest: {
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: { ...others, ...Object.fromEntries(rest), ...(isOfTool ? { tool_name } : {}) },
    },
  };
}

/**
 * If an event is only watched or takes text, hooks hear about it even without the fields that Astrid doesn't promise.
 * An event that can be held needs them.
 */
function inputOf(data: Wire, event: CanonicalEvent): Record<string, unknown> {
  const input: Record<string, unknown> = event === "subagent.stop" ? { isContinued: false } : {};
  for (const [field, own] of Object.entries(astridFieldsOf(event))) {
    const value = Object.hasOwn(data, own) ? data[own] : undefined;
    if (value !== undefined && value !== null) input[field] = value;
  }
  if (powersOf(event).hold !== null) return input;
  for (const field of REQUIRED_INPUTS[event] ?? []) {
    if (field === "toolName" || typeof input[field] === "string") continue;
    input[field] = input[field] === undefined ? "" : JSON.stringify(input[field]);
  }
  return input;
}

/** Silence means continue. */
function encodeLifecycle({ powers, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action === "ask" && powers.asks)
    return { text: `{"action":"ask","question":${quoteJson(reason)},"default":null}\n`, effective: "ask" };
  if (action !== "allow" && powers.holds)
    return { text: `{"action":"block","reason":${quoteJson(reason)}}\n`, effective: "deny" };
  if (context === null || !powers.injects) return { text: "", effective: "allow" };
  const text = `{"action":"continue_with","modifications":{"context":${quoteJson(context)}}}\n`;
  return { text, effective: "allow" };
}
