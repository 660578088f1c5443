import {
  isCanonicalEvent,
  type LifecycleEvent,
  powersOf,
  REQUIRED_INPUTS,
  SUBJECT_FIELDS,
} from "../../policy/lifecycle-events.ts";
import { quoteJson } from "../primordials.ts";
import { BrokenEvent } from "../read-input.ts";
import type {
  DecodedLifecycleEvent,
  LifecycleAdapter,
  LifecyclePowers,
  PresentedLifecycleVerdict,
  Wire,
} from "./adapter.ts";
import { canonicalOf, ofAnotherKind } from "./tool-call.ts";

/** One event of an agent: what hooks can do there, and the agent's own name for each field of the input. */
export interface LifecycleEventFormat extends LifecyclePowers {
  fields: Readonly<Record<string, string>>;
  /** Whether the agent reports something else by this event, with a format of its own. */
  isAnother?: (wire: Wire) => boolean;
  /** Adds fields that the agent sends as parts of others. */
  unfold?: (wire: Wire) => Wire;
}

export type LifecycleEventFormats = { readonly [E in LifecycleEvent]?: LifecycleEventFormat };

interface LifecycleAdapterOptions {
  formats: LifecycleEventFormats;
  /** The agent's own events that nobody else has. */
  others: readonly string[];
  /** Canonical names of tools, by the agent's own names. */
  canonicalTools: Readonly<Record<string, string>>;
  /** Absent: `hook_event_name`, `session_id` and `cwd`. */
  envelope?: Envelope;
  /** The canonical name of a tool, for an agent whose own name for the tool isn't enough. */
  nameTool?: (tool: string, wire: Wire) => string;
  /** Other names by which matchers may name a tool without a canonical name. */
  otherNames?: (tool: string) => readonly string[];
  /** Whether a hook has kept this turn going already; absent: as `stop_hook_active` says. */
  isContinued?: (wire: Wire, event: LifecycleEvent) => boolean | null;
  newTurn?: LifecycleEvent;
  encode: LifecycleAdapter["encode"];
}

/** Events that an agent only reports, events at which it takes text for the model, and events that can be held. */
export const REPORT_ONLY = { holds: false, injects: false, shows: false, transforms: false, asks: false } as const;
export const MAY_INJECT = { holds: false, injects: true, shows: false, transforms: false, asks: false } as const;
export const MAY_HOLD = { holds: true, injects: false, shows: false, transforms: false, asks: false } as const;

/** The fields around the content of an event. */
interface Envelope {
  /** Absent: the agent's events don't say their kind. */
  event?: string;
  /** They always say their kind. */
  namesEvents?: boolean;
  session: string;
  folder: (wire: Wire) => unknown;
}

const USUAL: Envelope = { event: "hook_event_name", session: "session_id", folder: ({ cwd }) => cwd };

const CONTINUED = "stop_hook_active";

/**
 * The lifecycle events of an agent that sends one JSON object for each. The tables are in functions so that a bundler
 * leaves them out of the program that answers only tool calls.
 */
export function createLifecycleAdapter(describe: () => LifecycleAdapterOptions): LifecycleAdapter {
  const agent = describe();
  const { formats, others, encode, newTurn, envelope = USUAL } = agent;
  const formatOf = (event: LifecycleEvent): LifecycleEventFormat | undefined => {
    if (Object.hasOwn(formats, event)) return formats[event];
    const name = event.slice("other.".length);
    return event.startsWith("other.") && others.includes(name) ? { name, ...REPORT_ONLY, fields: {} } : undefined;
  };
  return {
    // A getter, since the hook process never asks for it.
    get names() {
      return [
        ...(Object.keys(formats) as LifecycleEvent[]).map((event) => [event, formats[event]?.name ?? ""] as const),
        ...others.map((name) => [`other.${name}`, name] as const),
      ];
    },
    ...(newTurn === undefined ? {} : { newTurn }),
    powersAt: formatOf,
    decode(wire, event) {
      const known = formatOf(event);
      if (known === undefined) throw new BrokenEvent("isn't one that this agent has");
      if (known.isAnother?.(wire) === true) return null;
      return decodeLifecycleEvent(known.unfold?.(wire) ?? wire, { ...agent, event, format: known });
    },
    encode,
    toWire(event, { isContinued, ...input }) {
      const { name, fields = {} } = formatOf(event) ?? { name: event };
      const turn = isContinued === undefined ? {} : { [CONTINUED]: isContinued };
      return {
        ...(envelope.event === undefined ? {} : { [envelope.event]: name }),
        ...turn,
        ...nameFields(input, fields),
      };
    },
  };
}

interface Expected extends LifecycleAdapterOptions {
  event: LifecycleEvent;
  format: LifecycleEventFormat;
}

function decodeLifecycleEvent(wire: Wire, expected: Expected): DecodedLifecycleEvent {
  const { event, format, envelope = USUAL } = expected;
  const { cwd: _, ...others } = wire;
  const kind = take(others, envelope.event);
  const session = take(others, envelope.session);
  if ((envelope.namesEvents === true || kind !== undefined) && kind !== format.name) throw ofAnotherKind(event);
  const input = isCanonicalEvent(event) ? pickFields(others, format.fields) : others;
  const isContinued = expected.isContinued?.(wire, event) ?? readContinued(wire, expected);
  if (event === "turn.stop" || event === "subagent.stop") input["isContinued"] = isContinued === true;
  const nameOf = (field: string): string => format.fields[field] ?? field;
  const decoded = decodeInput(input, { event, nameOf, otherName: format.name });
  const folder = envelope.folder(wire);
  return {
    input,
    ...nameSubject(decoded.subject, wire, expected),
    isContinued,
    rest: {
      ...(typeof folder === "string" ? { cwd: folder } : {}),
      ...(typeof session === "string" ? { sessionId: session } : {}),
      metadata: isCanonicalEvent(event) ? restOf(others, format.fields) : {},
    },
  };
}

function take(wire: Record<string, unknown>, field: string | undefined): unknown {
  if (field === undefined) return undefined;
  const value = wire[field];
  delete wire[field];
  return value;
}

/** Null: the agent says it in its own way, but has not said it here. */
function readContinued(wire: Wire, { isContinued }: LifecycleAdapterOptions): boolean | null {
  return isContinued === undefined ? wire[CONTINUED] === true : null;
}

/** Only tools have canonical names, so a kind of subagent that is called like a tool keeps its own. */
function nameSubject(
  named: string,
  wire: Wire,
  { event, canonicalTools, nameTool, otherNames }: Expected,
): Pick<DecodedLifecycleEvent, "aliases" | "subject"> {
  if (powersOf(event).subject !== "tool") return { subject: named, aliases: [] };
  const subject = nameTool?.(named, wire) ?? canonicalOf(named, canonicalTools);
  return { subject, aliases: subject === named ? (otherNames?.(named) ?? []) : [named] };
}

interface InputFacts {
  event: LifecycleEvent;
  /** The sender's name for a field. */
  nameOf: (field: string) => string;
  /** For an event that only one system has: its name there. */
  otherName: string;
}

/**
 * Checks that the input has the fields that the event needs, and finds the subject for matchers; "": the event does not
 * say.
 */
export function decodeInput(
  input: Readonly<Record<string, unknown>>,
  { event, nameOf, otherName }: InputFacts,
): Pick<DecodedLifecycleEvent, "aliases" | "input" | "subject"> {
  for (const field of (isCanonicalEvent(event) ? REQUIRED_INPUTS[event] : undefined) ?? []) {
    if (typeof input[field] !== "string") throw new BrokenEvent(`has no ${nameOf(field)}`);
  }
  const { subject } = powersOf(event);
  if (subject === "name") return { input, subject: otherName, aliases: [] };
  const value = subject === null ? undefined : input[SUBJECT_FIELDS[subject] ?? subject];
  return { input, subject: typeof value === "string" ? value : "", aliases: [] };
}

/** The fields of an input under the agent's own names. */
function nameFields(
  input: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [fields[field] ?? field, value]));
}

function pickFields(wire: Wire, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(fields)) {
    const value = Object.hasOwn(wire, name) ? wire[name] : undefined;
    if (value !== undefined && value !== null) input[field] = value;
  }
  return input;
}

function restOf(wire: Wire, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const taken = Object.values(fields);
  return Object.fromEntries(Object.entries(wire).filter(([name]) => name !== CONTINUED && !taken.includes(name)));
}

/** The lifecycle events that other agents took over unchanged from Claude Code. */
export const claudeFormats = () =>
  ({
    "session.start": { name: "SessionStart", ...MAY_INJECT, fields: { source: "source", model: "model" } },
    "session.end": { name: "SessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "UserPromptSubmit", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "PermissionRequest",
      ...MAY_HOLD,
      fields: { toolName: "tool_name", toolInput: "tool_input" },
    },
    "tool.after": {
      name: "PostToolUse",
      ...MAY_INJECT,
      fields: { toolName: "tool_name", toolInput: "tool_input", output: "tool_response" },
    },
    // Claude Code keeps a turn going if it gets text for the model; Codex drops such text.
    "turn.stop": { name: "Stop", ...MAY_HOLD, shows: true, fields: { lastMessage: "last_assistant_message" } },
    "subagent.start": { name: "SubagentStart", ...MAY_INJECT, fields: { type: "agent_type", agentId: "agent_id" } },
    "subagent.stop": {
      name: "SubagentStop",
      ...MAY_HOLD,
      fields: { type: "agent_type", agentId: "agent_id", lastMessage: "last_assistant_message" },
    },
  }) as const satisfies LifecycleEventFormats;

/** The fields of an answer that holds the event: a permission is refused, everything else is blocked. */
export function fieldsOfHold(name: string, reason: string): string {
  return name === "PermissionRequest"
    ? `,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":${quoteJson(reason)}}}`
    : `,"decision":"block","reason":${quoteJson(reason)}`;
}

/** The field of an answer that tells the person something; "" for nothing. */
export function fieldOfNotice({ powers, action, context, notice }: PresentedLifecycleVerdict): string {
  const shown = powers.shows && action === "allow" ? context : null;
  const text = shown === null || notice === null ? (shown ?? notice) : `${shown}\n${notice}`;
  return text === null ? "" : `,"systemMessage":${quoteJson(text)}`;
}

/** The fields of an answer that tells the model something. */
export function fieldsOfContext(name: string, context: string): string {
  return `,"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":${quoteJson(context)}}`;
}
