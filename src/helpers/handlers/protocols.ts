import type { Decision, HookEvent } from "../../policy/define.ts";
import { type NativeTools, nativeNames } from "../../policy/dialect-names.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import type { HookableEvent } from "../../policy/lifecycle-events.ts";
import { isMapping, isString } from "../is-type.ts";

/** How the handlers of one system are asked, and what their answers mean. */
interface Protocol {
  ask(event: ToolPolicyEvent): HandlerQuestion;
  /** Throws for an answer that it cannot read. The call is then blocked, if it can be. */
  decide(said: HandlerOutput): Decision | undefined;
}

export const PROTOCOL: Readonly<Record<ProtocolName, Protocol>> = {
  drwn: { ask: (event) => question(event, event), decide: decideAsDrwn },
  arawn: { ask: askAsArawn, decide: decideAsArawn },
  "arawn-settings": { ask: askAsArawnSettings, decide: decideAsArawnSettings },
  claude: { ask: askAsClaude, decide: decideAsClaude },
};

/** The output is empty, or a decision as a policy returns it. */
function decideAsDrwn({ code, output, errors }: HandlerOutput): Decision | undefined {
  if (code !== 0) throw new Error(`it ended with ${code}${tail(errors)}`);
  const text = output.trim();
  // The engine checks the decision, as it does for all policies.
  return text === "" ? undefined : (parse(text) as Decision);
}

function askAsArawn(event: ToolPolicyEvent): HandlerQuestion {
  const [tool] = namesInCall("arawn", event);
  return question(event, { tool, params: event.input ?? {} }, sessionVariable(event));
}

/** Arawn's newest hooks get one object that names its event. */
function askAsArawnSettings(event: ToolPolicyEvent): HandlerQuestion {
  const [tool_name] = namesInCall("arawn-settings", event);
  const fields = { hook_event: "PreToolUse", tool_name, tool_input: event.input ?? {}, ...sessionFields(event) };
  return question(event, fields, sessionVariable(event));
}

export function sessionVariable({ sessionId = "" }: { sessionId?: string }): Record<string, string> {
  return sessionId === "" ? {} : { ARAWN_SESSION_ID: sessionId };
}

/** Fields that every event of Arawn's newest generation has, if they are known. */
export function sessionFields({ sessionId, cwd }: { sessionId?: string; cwd?: string }): AnswerFields {
  return { ...(sessionId === undefined ? {} : { session_id: sessionId }), ...(cwd === undefined ? {} : { cwd }) };
}

const BLOCKS = 2;
/** The reason if one of Arawn's newest hooks says no without any words. */
export const NO_WORDS = `the hook ended with exit code ${BLOCKS}`;

/** Every exit code except 0 means no. */
function decideAsArawn({ code, output, errors }: HandlerOutput): Decision | undefined {
  if (code === 0) return undefined;
  return { action: "deny", reason: output.trim() || errors.trim() || `the hook ended with exit code ${code}` };
}

/** Code 2 means no. For Arawn, any other failure is only a warning; here a guard that cannot do its work blocks. */
function decideAsArawnSettings({ code, output, errors }: HandlerOutput): Decision | undefined {
  if (code === 0) return undefined;
  if (code === BLOCKS) return { action: "deny", reason: errors.trim() || output.trim() || NO_WORDS };
  throw new Error(`it ended with ${code}${tail(errors)}`);
}

function askAsClaude(event: ToolPolicyEvent): HandlerQuestion {
  const { phase, toolName, input, output, cwd = "", sessionId = "", metadata = {} } = event;
  const isBefore = phase === "pre-tool";
  const fields = {
    ...metadata,
    session_id: sessionId,
    cwd,
    hook_event_name: isBefore ? "PreToolUse" : "PostToolUse",
    tool_name: toolName,
    tool_input: input ?? {},
    ...(isBefore ? {} : { tool_response: output ?? null }),
  };
  return question(event, fields, cwd === "" ? {} : { CLAUDE_PROJECT_DIR: cwd });
}

function decideAsClaude({ code, output, errors }: HandlerOutput): Decision | undefined {
  if (code === BLOCKS) return { action: "deny", reason: errors.trim() || "the hook gave no reason" };
  if (code !== 0) throw new Error(`it ended with ${code}${tail(errors)}`);
  const text = output.trim();
  // Any other output is for people.
  if (!text.startsWith("{")) return undefined;
  const answer = parse(text);
  if (!isMapping(answer)) throw new Error("it answers with something that isn't an object");
  const specific = isMapping(answer["hookSpecificOutput"]) ? answer["hookSpecificOutput"] : {};
  return decisionOf(answer, specific);
}

function decisionOf(answer: AnswerFields, specific: AnswerFields): Decision | undefined {
  const permission = specific["permissionDecision"] ?? FORMER[String(answer["decision"])];
  const reason = firstText([specific["permissionDecisionReason"], answer["reason"], answer["stopReason"]]);
  if (answer["continue"] === false || permission === "deny") return { action: "deny", reason: reason || "it says no" };
  if (permission === "ask") return { action: "ask", reason: reason || "a person should look at it" };
  if (permission !== undefined && permission !== "allow" && permission !== "defer") {
    throw new Error(`it decides ${JSON.stringify(permission)}`);
  }
  const { updatedInput, additionalContext } = specific;
  if (updatedInput === undefined && !isString(additionalContext)) return undefined;
  return {
    action: "allow",
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(isString(additionalContext) ? { additionalContext } : {}),
  };
}

/** The values of `decision`, the field that older hooks use. */
const FORMER: Readonly<Record<string, string | undefined>> = { approve: "allow", block: "deny" };

/** How a handler gets an event, and what its answer looks like. */
export const PROTOCOLS = ["drwn", "arawn", "arawn-settings", "claude"] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** What a hook is asked about, whatever kind of handler answers for it. */
export interface HandlerTerms {
  event: "tool.before" | HookableEvent;
  policyKind: "enforcement" | "observer";
  matcher?: string;
  /** Regular expression for the tool's name in the protocol's own system, if that system has its own names. */
  ownName?: string;
  /** Regular expression for the input, as compact JSON with sorted keys. The handler is only asked if it matches. */
  inputPattern?: string;
  timeoutMs: number;
  speaks: ProtocolName;
}

/** The system whose names for tools a handler knows; null: it knows the agent's. */
export function toolsOf(speaks: ProtocolName): NativeTools | null {
  return speaks === "arawn" || speaks === "arawn-settings" ? "arawn" : null;
}

/** A handler's raw answer. */
export interface HandlerOutput {
  /** 0 if it ended well. */
  code: number;
  output: string;
  errors: string;
}

export interface HandlerQuestion {
  /** The JSON that it reads. */
  text: string;
  /** For handlers that have an environment. */
  variables: Readonly<Record<string, string>>;
  /** The folder in which the agent works. */
  cwd: string | undefined;
}

export type AnswerFields = Readonly<Record<string, unknown>>;

export function question(
  event: { cwd?: string },
  fields: object,
  variables: Record<string, string> = {},
): HandlerQuestion {
  return { text: JSON.stringify(fields), variables, cwd: event.cwd };
}

/** Throws for anything that isn't one JSON document. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it answers with something that is not one JSON document");
  }
}

/** The first text that isn't blank. With a blank reason, the engine would count a denial as a failure. */
export function firstText(values: readonly unknown[]): string {
  return values.filter(isString).find((text) => text.trim() !== "") ?? "";
}

/** The last line of the error output, for the end of a message. */
export function tail(errors: string): string {
  const line = errors.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}

/** The names by which a handler knows the tool of a call, the usual one first. */
export function namesInCall(speaks: ProtocolName, { runtime, toolName, metadata }: ToolPolicyEvent): readonly string[] {
  const system = toolsOf(speaks);
  if (system === null) return [toolName];
  const reported = metadata?.["tool_name"];
  return nativeNames(system, { runtime, canonical: toolName, reported: isString(reported) ? reported : toolName });
}

/** The same for a moment that is about a tool. */
export function namesAtLifecycleEvent(speaks: ProtocolName, { runtime, subject, input }: HookEvent): readonly string[] {
  const reported: unknown = Reflect.get(input, "toolName");
  const system = toolsOf(speaks);
  if (!isString(reported)) return [];
  return system === null ? [reported] : nativeNames(system, { runtime, canonical: subject ?? reported, reported });
}

/** Compact JSON with sorted keys, so that a pattern doesn't depend on the order in which an agent writes them. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  // Made from entries, so that a key may have any name.
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
