import type { Phase } from "../../policy/event.ts";
import type { Adapter, DecodedEvent, EventView, Wire } from "./adapter.ts";
import {
  canonicalOf,
  describeCall,
  errorOf,
  ofAnotherKind,
  requireInput,
  requirePhase,
  requireTool,
  type ToolError,
  takeObject,
} from "./tool-call.ts";

/** The name of a field, or several: then the first that the agent sent counts. */
type FieldNames = string | readonly string[];

/** The agent's own names for the fields of an event. All others are metadata, and so is the call's id. */
interface WireFields {
  /** Absent: its events don't say their kind; one that has a result comes after the call. */
  event?: string;
  tool: FieldNames;
  input: FieldNames;
  output?: FieldNames;
  error?: string;
  cwd?: string;
  session: string;
  call?: string;
}

/** Claude Code's names, which other agents have taken over. */
export const CLAUDE_FIELDS = {
  event: "hook_event_name",
  tool: "tool_name",
  input: "tool_input",
  output: "tool_response",
  cwd: "cwd",
  session: "session_id",
} as const satisfies WireFields;

/** A call as the agent sends it, and the canonical name of its tool. */
export interface SentCall {
  tool: string;
  toolName: string;
  input: Readonly<Record<string, unknown>>;
  cwd: unknown;
}

/** How an agent reports tool calls to its hooks. A function is left out where the agent does what most agents do. */
export interface CallFormat extends Omit<Adapter, "decode" | "takeInput"> {
  fields: WireFields;
  /** By the agent's own names for its events. */
  phases?: Readonly<Record<string, Phase>>;
  /** The agent always says which event it is. */
  namesEvents?: boolean;
  takeInput?: Adapter["takeInput"];
  /** What the call amounts to, as calls of other tools. */
  views?(call: SentCall): readonly EventView[];
  /** The tool and its input, from what the agent sends for them. */
  read?(tool: string, input: unknown): { tool: string; input: unknown };
  canonicalName?(tool: string, input: object, wire: Wire): string;
  otherNames?(tool: string): readonly string[];
  errorIn?(wire: Wire): ToolError | undefined;
  folderIn?(wire: Wire): unknown;
}

/** The adapter of an agent whose hooks get one flat object for each call. */
export function callAdapter(format: CallFormat): Adapter {
  const { runtime, title, can, onlyIf, canonicalTools, encode, encodeCanary, takeInput = takeObject } = format;
  return {
    runtime,
    title,
    can,
    ...(onlyIf === undefined ? {} : { onlyIf }),
    canonicalTools,
    decode: (wire, phase) => decode(format, wire, phase),
    encode,
    encodeCanary,
    takeInput,
  };
}

function decode(format: CallFormat, wire: Wire, phase: Phase): DecodedEvent {
  const { fields, canonicalTools } = format;
  requireKind(format, wire, phase);
  const sentTool = requireTool(sent(wire, fields.tool), nameOf(fields.tool));
  const read = format.read?.(sentTool, sent(wire, fields.input)) ?? { tool: sentTool, input: sent(wire, fields.input) };
  const { tool } = read;
  const input = requireInput(read.input, nameOf(fields.input));
  const toolName = format.canonicalName?.(tool, input, wire) ?? canonicalOf(tool, canonicalTools);
  const otherNames = format.otherNames?.(tool) ?? [];
  const cwd = format.folderIn?.(wire) ?? sent(wire, fields.cwd);
  const views = format.views?.({ tool, toolName, input, cwd }) ?? [];
  return describeCall({
    tool,
    toolName,
    otherNames,
    input,
    views,
    output: sent(wire, fields.output),
    error: format.errorIn === undefined ? errorOf(sent(wire, fields.error)) : format.errorIn(wire),
    cwd,
    sessionId: wire[fields.session],
    callId: sent(wire, fields.call),
    metadata: {
      ...others(fields, wire),
      ...(toolName === tool && otherNames.length + views.length === 0 ? {} : { [nameOf(fields.tool)]: sentTool }),
      // A policy that gets one part of a call can also look at the whole.
      ...(views.length === 0 ? {} : { [nameOf(fields.input)]: sent(wire, fields.input) }),
    },
  });
}

function requireKind({ fields, phases = {}, namesEvents = false }: CallFormat, wire: Wire, phase: Phase): void {
  if (fields.event === undefined) {
    const isAfter = sent(wire, fields.output) !== undefined || sent(wire, fields.error) !== undefined;
    if (phase === "pre-tool" && isAfter) throw ofAnotherKind(phase);
  } else if (namesEvents || wire[fields.event] !== undefined) requirePhase(wire[fields.event], phase, phases);
}

function sent(wire: Wire, names: FieldNames | undefined): unknown {
  if (names === undefined) return undefined;
  return typeof names === "string"
    ? wire[names]
    : names.map((name) => wire[name]).find((value) => value !== undefined && value !== null);
}

/** The name under which metadata has a field. */
function nameOf(names: FieldNames): string {
  return typeof names === "string" ? names : (names.at(-1) ?? "");
}

function others({ call: _, ...fields }: WireFields, wire: Wire): Record<string, unknown> {
  const rest = { ...wire };
  for (const name of Object.values(fields).flat()) delete rest[name];
  return rest;
}
