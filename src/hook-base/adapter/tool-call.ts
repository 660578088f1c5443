import type { Phase } from "../../policy/event.ts";
import { fieldsOf } from "../../policy/tools.ts";
import { codeUnitAt } from "../primordials.ts";
import { BrokenEvent } from "../read-input.ts";
import { isRecord } from "../shape.ts";
import type { DecodedEvent, EventView } from "./adapter.ts";

/** A tool call, taken apart: each field that agents name differently has one name here. */
export interface CallFields {
  /** The agent's own name for the tool. */
  tool: string;
  /** Its canonical name, if that differs. */
  toolName?: string;
  /** The canonical names that it may have, if that isn't certain. */
  otherNames?: readonly string[];
  input: object;
  views?: readonly EventView[];
  /** Absent: true if there are views. */
  isDivided?: boolean;
  /** Absent: false. */
  isOnlyDeniable?: boolean;
  /** Absent: the agent sent none. */
  output?: unknown;
  error?: ToolError | undefined;
  /** This and the next field count only if they are texts. */
  cwd: unknown;
  sessionId: unknown;
  metadata: Readonly<Record<string, unknown>>;
  /** Counts only if it is a text of plain characters. */
  callId?: unknown;
}

export interface ToolError {
  name: string;
  message: string;
}

/** The event that policies see for a call. */
export function describeCall({
  tool,
  toolName = tool,
  input,
  views = [],
  metadata,
  ...told
}: CallFields): DecodedEvent {
  const {
    otherNames = [],
    isDivided = views.length > 0,
    isOnlyDeniable = false,
    output,
    error,
    cwd,
    sessionId,
    callId,
  } = told;
  const isKnown = toolName !== tool || views.length + otherNames.length > 0;
  return {
    toolName,
    aliases: toolName !== tool ? [tool] : isKnown ? [] : unknownNames(tool, input),
    otherNames: toolName === tool ? otherNames : [],
    input,
    views,
    isDivided,
    isOnlyDeniable,
    callId: isPlainId(callId) ? callId : "",
    rest: {
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      metadata,
    },
  };
}

const LONGEST_ID = 128;

/** Whether an id can be written as a line of a file and searched for unchanged. */
function isPlainId(id: unknown): id is string {
  return typeof id === "string" && id.length <= LONGEST_ID && /^[\w.:-]+$/.test(id);
}

/** Throws unless the agent's own name for the event belongs to this phase. */
export function requirePhase(name: unknown, phase: Phase, phases: Readonly<Record<string, Phase>>): void {
  const told = typeof name === "string" && Object.hasOwn(phases, name) ? phases[name] : undefined;
  if (told !== phase) throw ofAnotherKind(phase);
}

export function ofAnotherKind(asked: string): BrokenEvent {
  return new BrokenEvent(`is of another kind than the hook was asked for (${asked})`);
}

/** The tool's name, which the agent sends in this field. */
export function requireTool(value: unknown, field: string): string {
  if (typeof value !== "string" || value === "") throw new BrokenEvent(`has no ${field}`);
  return value;
}

/** The tool's input, which the agent sends in this field. */
export function requireInput(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) throw new BrokenEvent(`has no object in ${field}`);
  return value;
}

/** The canonical name of a tool, or its own if it has none. */
export function canonicalOf(tool: string, names: Readonly<Record<string, string>>): string {
  return Object.hasOwn(names, tool) ? String(names[tool]) : tool;
}

/** Fields for what runs, is typed or is asked for, also in JSON in a text. Policies read more exactly. */
const RUNS =
  /"\w*(?:commands?|cmds?|script|(?:command|cmd)_?line|code|snippet|expression|cell|source|program_?text|arg[sv]?|arguments|keys|keystrokes|stdin|chars|input|run|exec|sql|quer(?:y|ies)|statements?|method)\\*":/iu;

/** Fields for files, and names of tools that change what is there or send it away. */
const PLACES = /"\w*(?:paths?|files?|filename|dir|directory|folder|uri|target|source|destination|attachments?)\\*":/iu;
const CHANGES =
  /delete|remove|rm|unlink|trash|erase|move|rename|write|create|save|edit|put|upload|update|append|replace|send|share|forward|attach/iu;

/** A tool that nobody knows is like one of an MCP server, if its input may run or say what to change. */
function unknownNames(tool: string, input: object): string[] {
  if (tool.startsWith("mcp__") || fieldsOf(tool).length > 0) return [];
  const text = JSON.stringify(input);
  const isChange = CHANGES.test(tool) || /"(?:action|operation)":"(?:delete|remove|move|write)/iu.test(text);
  return RUNS.test(text) || (isChange && PLACES.test(text)) ? [`mcp__unknown__${tool}`] : [];
}

/** No agent has longer names for tools. */
const LONGEST_NAME = 256;

/**
 * The canonical names that a tool of an MCP server may have in an agent that puts `separator` between server and tool.
 * Either name may contain the separator, too; the shortest server comes first. A policy for any of these names is
 * asked, since asking it about another server's tool is better than not asking it.
 */
export function mcpNames(tool: string, separator: string): string[] {
  if (tool.startsWith("mcp__") || tool.length > LONGEST_NAME) return [];
  const parts = tool.split(separator);
  return parts.slice(1).map((_, at) => {
    const [server, name] = [parts.slice(0, at + 1), parts.slice(at + 1)].map((some) => some.join(separator));
    return `mcp__${server}__${name}`;
  });
}

/** What went wrong in a tool, as the agent sent it; undefined: the agent sent nothing. */
export function errorOf(sent: unknown): ToolError | undefined {
  if (sent === undefined || sent === null) return undefined;
  return { name: "ToolError", message: typeof sent === "string" ? sent : JSON.stringify(sent) };
}

const OPENING_BRACE = 0x7b;

/** The text, if it is the JSON of an object, which most agents require as a tool's input; otherwise null. */
export function takeObject(text: string): string | null {
  return codeUnitAt(text, 0) === OPENING_BRACE ? text : null;
}

/** A call as one of this tool for each of the values that is a text. */
export function textViews(toolName: string, field: string, values: readonly unknown[]): EventView[] {
  return values.flatMap((value) =>
    typeof value === "string" ? [{ toolName, aliases: [], input: { [field]: value } }] : [],
  );
}

const FILE_URL = /^file:\/\/(?:localhost)?(?=\/)/iu;

/** The file that an address of a resource names, as a server may read it. Undefined: it names none. */
export function fileOfUri(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !FILE_URL.test(uri)) return undefined;
  const path = uri.replace(FILE_URL, "").replace(/[?#].*$/su, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
