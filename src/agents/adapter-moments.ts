import { REQUIRED_INPUTS, SUBJECT_FIELDS } from "../policy/hook-inputs.ts";
import { isCanonicalEvent, type LifecycleEvent, powersOf } from "../policy/taxonomy.ts";
import { BrokenEvent } from "../runtime/read-input.ts";
import type { DecodedMoment, MomentPowers, Moments, Wire } from "./adapter.ts";
import { canonicalOf, ofAnotherKind } from "./adapter-call.ts";

/** One event of an agent: what it can take, and its own name of each field of the input. */
export interface MomentFormat extends MomentPowers {
  fields: Readonly<Record<string, string>>;
}

export type MomentFormats = { readonly [E in LifecycleEvent]?: MomentFormat };

interface AgentMoments {
  formats: MomentFormats;
  /** The agent's own events that nobody else has. */
  others: readonly string[];
  /** The agent's own names of tools that have a canonical one. */
  canonicalTools: Readonly<Record<string, string>>;
  encode: Moments["encode"];
}

/** Events of which an agent only tells, at which it takes text for the model, and which can be held. */
export const WATCHED = { holds: false, injects: false, transforms: false, asks: false } as const;
export const INJECTS = { ...WATCHED, injects: true } as const;
export const HOLDS = { ...WATCHED, holds: true } as const;

const CONTINUED = "stop_hook_active";

/** The moments of an agent that sends one JSON object for each, with `hook_event_name` in it. */
export function createMoments({ formats, others, canonicalTools, encode }: AgentMoments): Moments {
  const formatOf = (event: LifecycleEvent): MomentFormat | undefined => {
    if (Object.hasOwn(formats, event)) return formats[event];
    const name = event.slice("other.".length);
    return event.startsWith("other.") && others.includes(name) ? { name, ...WATCHED, fields: {} } : undefined;
  };
  return {
    // The hook process never asks for it.
    get names() {
      return [
        ...(Object.keys(formats) as LifecycleEvent[]).map((event) => [event, formats[event]?.name ?? ""] as const),
        ...others.map((name) => [`other.${name}`, name] as const),
      ];
    },
    powersAt: formatOf,
    decode(wire, event) {
      const known = formatOf(event);
      if (known === undefined) throw new BrokenEvent("is none that this agent has");
      return decodeMoment(wire, { event, format: known, canonicalTools });
    },
    encode,
    toWire(event, { isContinued, ...input }) {
      const { name, fields = {} } = formatOf(event) ?? { name: event };
      const turn = isContinued === undefined ? {} : { [CONTINUED]: isContinued };
      return { hook_event_name: name, ...turn, ...nameFields(input, fields) };
    },
  };
}

interface Expected extends Pick<AgentMoments, "canonicalTools"> {
  event: LifecycleEvent;
  format: MomentFormat;
}

function decodeMoment(wire: Wire, { event, format, canonicalTools }: Expected): DecodedMoment {
  const { hook_event_name, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined && hook_event_name !== format.name) {
    throw ofAnotherKind(event);
  }
  const input = isCanonicalEvent(event) ? pickFields(others, format.fields) : others;
  const isContinued = others[CONTINUED] === true;
  if (event === "turn.stop" || event === "subagent.stop") input["isContinued"] = isContinued;
  const nameOf = (field: string): string => format.fields[field] ?? field;
  const decoded = decodeInput(input, { event, nameOf, otherName: format.name });
  const named = decoded.subject;
  const subject = canonicalOf(named, canonicalTools);
  return {
    input,
    subject,
    aliases: subject === named ? [] : [named],
    isContinued,
    rest: {
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: isCanonicalEvent(event) ? restOf(others, format.fields) : {},
    },
  };
}

interface InputFacts {
  event: LifecycleEvent;
  /** What the sender calls a field. */
  nameOf: (field: string) => string;
  /** Of an event that only one system has, its name there. */
  otherName: string;
}

/** Checks that the input has what the event needs, and finds what a matcher sees; "" where the event does not say. */
export function decodeInput(
  input: Readonly<Record<string, unknown>>,
  { event, nameOf, otherName }: InputFacts,
): Pick<DecodedMoment, "aliases" | "input" | "subject"> {
  for (const field of (isCanonicalEvent(event) ? REQUIRED_INPUTS[event] : undefined) ?? []) {
    if (typeof input[field] !== "string") throw new BrokenEvent(`has no ${nameOf(field)}`);
  }
  const { subject } = powersOf(event);
  if (subject === "name") return { input, subject: otherName, aliases: [] };
  const value = subject === null ? undefined : input[SUBJECT_FIELDS[subject] ?? subject];
  return { input, subject: typeof value === "string" ? value : "", aliases: [] };
}

/** The fields of an input under the agent's own names. */
export function nameFields(
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
