import type {
  DecodedLifecycleEvent,
  LifecycleAdapter,
  LifecyclePowers,
  PresentedLifecycleVerdict,
  Reply,
  Wire,
} from "../../../hook-base/adapter/adapter.ts";
import { decodeInput } from "../../../hook-base/adapter/lifecycle-format.ts";
import { canonicalOf, ofAnotherKind } from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { BrokenEvent } from "../../../hook-base/read-input.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import { astridFieldsOf } from "../../../policy/astrid-fields.ts";
import { EVENT_NAMES, NATIVE_TOOLS, nameIn } from "../../../policy/dialect-names.ts";
import {
  type CanonicalEvent,
  isCanonicalEvent,
  type LifecycleEvent,
  powersOf,
  REQUIRED_INPUTS,
} from "../../../policy/lifecycle-events.ts";
import { serverToolName } from "./astrid-calls.ts";

const EVENTS = Object.values(EVENT_NAMES.astrid).filter((event) => event !== "tool.before");

/**
 * Any hook of Astrid's may give any verdict. No known version heeds a change, so a change holds the event if it can be
 * held. Text for the model goes as `context` among the modifications.
 */
export const astridLifecycle: LifecycleAdapter = {
  names: EVENTS.map((event) => [event, nameIn("astrid", event) ?? event] as const),
  powersAt,
  decode,
  encode,
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

function decode(wire: Wire, event: LifecycleEvent): DecodedLifecycleEvent {
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
function encode({ powers, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action === "ask" && powers.asks)
    return { text: `{"action":"ask","question":${quoteJson(reason)},"default":null}\n`, effective: "ask" };
  if (action !== "allow" && powers.holds)
    return { text: `{"action":"block","reason":${quoteJson(reason)}}\n`, effective: "deny" };
  if (context === null || !powers.injects) return { text: "", effective: "allow" };
  const text = `{"action":"continue_with","modifications":{"context":${quoteJson(context)}}}\n`;
  return { text, effective: "allow" };
}
