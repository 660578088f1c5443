import type { HookEvent } from "../../policy/define.ts";
import { nameIn } from "../../policy/dialect-names.ts";
import { type HookableEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { isMapping, isString } from "../is-type.ts";
import {
  type AnswerFields,
  firstText,
  type HandlerOutput,
  type HandlerQuestion,
  NO_WORDS,
  namesAtLifecycleEvent,
  type ProtocolName,
  parse,
  question,
  sessionFields,
  sessionVariable,
  tail,
} from "./protocols.ts";

type LifecycleHookEvent = HookEvent<HookableEvent>;

const BLOCKS = 2;

/** A lifecycle hook's answer at any event. The engine checks it against what the event allows. */
export type LifecycleAnswer = { action: string; reason?: string; additionalContext?: string } | undefined;

/** How handlers get a lifecycle event, and what their answers mean there. */
export interface LifecycleProtocol {
  ask(hookEvent: LifecycleHookEvent): HandlerQuestion;
  /** Throws for an answer that it cannot read. */
  decide(said: HandlerOutput, event: HookableEvent): LifecycleAnswer;
}

export const LIFECYCLE_PROTOCOL: Readonly<Record<ProtocolName, LifecycleProtocol>> = {
  drwn: { ask: (hookEvent) => question(hookEvent, hookEvent), decide: decideAsDrwn },
  arawn: { ask: askAsArawn, decide: decideAsArawn },
  "arawn-settings": { ask: askAsArawnSettings, decide: decideAsArawnSettings },
  claude: { ask: askAsClaude, decide: decideAsClaude },
};

function decideAsDrwn({ code, output, errors }: HandlerOutput): LifecycleAnswer {
  if (code !== 0) throw new Error(`it ended with ${code}${tail(errors)}`);
  const text = output.trim();
  return text === "" ? undefined : (parse(text) as LifecycleAnswer);
}

function askAsArawn(hookEvent: LifecycleHookEvent): HandlerQuestion {
  const { event, sessionId = "", metadata = {} } = hookEvent;
  const fields = arawnFields(hookEvent);
  const known: Readonly<Record<string, AnswerFields>> = {
    "session.start": { session_id: sessionId },
    // Only Arawn counts turns.
    "session.end": {
      session_id: sessionId,
      ...("turn_count" in metadata ? { turn_count: metadata["turn_count"] } : {}),
    },
    "tool.after": { tool: fields["tool"], params: fields["params"] ?? {}, result: fields["result"] ?? null },
    "turn.stop": { response: fields["response"] ?? "" },
  };
  return question(hookEvent, known[event] ?? { ...metadata, ...fields }, sessionVariable(hookEvent));
}

/** Arawn's names for fields that have another name in drwn; null: Arawn lacks the field. */
const ARAWN_FIELDS: Readonly<Record<string, string | null>> = {
  isContinued: null,
  lastMessage: "response",
  output: "result",
  toolInput: "params",
  toolName: "tool",
};

/** The event's input in Arawn's words. */
function arawnFields(hookEvent: LifecycleHookEvent): Record<string, unknown> {
  const [tool] = namesAtLifecycleEvent("arawn", hookEvent);
  const all = tool === undefined ? hookEvent.input : { ...hookEvent.input, toolName: tool };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      const own = Object.hasOwn(ARAWN_FIELDS, name) ? ARAWN_FIELDS[name] : name;
      return typeof own === "string" ? [[own, value]] : [];
    }),
  );
}

const SETTINGS_FIELDS: Readonly<Record<string, string>> = {
  params: "tool_input",
  result: "tool_response",
  tool: "tool_name",
  type: "agent_type",
};

function askAsArawnSettings(hookEvent: LifecycleHookEvent): HandlerQuestion {
  const { event, metadata = {} } = hookEvent;
  const fields = Object.entries(arawnFields(hookEvent)).map(([name, value]) => [SETTINGS_FIELDS[name] ?? name, value]);
  const { isContinued } = hookEvent.input as { isContinued?: boolean };
  // Only the newest generation says whether a hook has sent the agent on already.
  const turn = isContinued === undefined ? {} : { stop_hook_active: isContinued };
  const hook_event = NEWER_NAMES[event] ?? nameIn("arawn", event) ?? event;
  const all = { hook_event, ...Object.fromEntries(fields), ...turn, ...metadata, ...sessionFields(hookEvent) };
  return question(hookEvent, all, sessionVariable(hookEvent));
}

/** The newest generation's names for two events that have other names in older ones. */
const NEWER_NAMES: Readonly<Record<string, string>> = {
  "subagent.start": "SubagentStart",
  "subagent.stop": "SubagentStop",
};

/** Only the end of a turn can be held. At other events text is for the agent, and a failure means nothing. */
function decideAsArawn({ code, output, errors }: HandlerOutput, event: HookableEvent): LifecycleAnswer {
  const text = output.trim();
  if (code === 0) return contextOf(event, text);
  if (event !== "turn.stop") return undefined;
  return { action: "keep-going", reason: text || errors.trim() || `the hook ended with exit code ${code}` };
}

/** The events that Arawn's newest hooks can hold besides tool calls. */
const HELD_BY_SETTINGS: readonly string[] = [
  "approval.before",
  "compact.before",
  "prompt.submit",
  "subagent.stop",
  "turn.stop",
];

/** Code 2 means no at events that can be held. Any other failure means nothing. */
function decideAsArawnSettings({ code, output, errors }: HandlerOutput, event: HookableEvent): LifecycleAnswer {
  if (code === 0) return contextOf(event, output.trim());
  if (code !== BLOCKS || !HELD_BY_SETTINGS.includes(event)) return undefined;
  return hold(event, errors.trim() || output.trim() || NO_WORDS);
}

/** Claude Code's names for fields that have another name in drwn. */
const CLAUDE_FIELDS: Readonly<Record<string, string>> = {
  agentId: "agent_id",
  error: "error",
  instructions: "custom_instructions",
  isContinued: "stop_hook_active",
  lastMessage: "last_assistant_message",
  output: "tool_response",
  toolInput: "tool_input",
  toolName: "tool_name",
};

function askAsClaude(hookEvent: LifecycleHookEvent): HandlerQuestion {
  const { event, input, cwd = "", sessionId = "", metadata = {} } = hookEvent;
  const renamed = Object.entries(input).map(([name, value]) => [claudeField(event, name), value]);
  const fields = {
    ...metadata,
    session_id: sessionId,
    cwd,
    hook_event_name: nameIn("claude-code", event) ?? event,
    ...Object.fromEntries(renamed),
  };
  return question(hookEvent, fields, cwd === "" ? {} : { CLAUDE_PROJECT_DIR: cwd });
}

function claudeField(event: HookableEvent, name: string): string {
  if (name === "type") return event === "notify" ? "notification_type" : "agent_type";
  return Object.hasOwn(CLAUDE_FIELDS, name) ? String(CLAUDE_FIELDS[name]) : name;
}

/** The events at which Claude Code takes plain text as context. */
const TEXT_EVENTS: readonly string[] = ["prompt.submit", "session.start"];

function decideAsClaude({ code, output, errors }: HandlerOutput, event: HookableEvent): LifecycleAnswer {
  if (code === BLOCKS) return hold(event, errors.trim());
  if (code !== 0) throw new Error(`it ended with ${code}${tail(errors)}`);
  const text = output.trim();
  if (!text.startsWith("{")) return TEXT_EVENTS.includes(event) ? contextOf(event, text) : undefined;
  const answer = parse(text);
  if (!isMapping(answer)) throw new Error("it answers with something that isn't an object");
  const specific = isMapping(answer["hookSpecificOutput"]) ? answer["hookSpecificOutput"] : {};
  const ruling = isMapping(specific["decision"]) ? specific["decision"] : {};
  const reason = firstText([answer["reason"], answer["stopReason"], ruling["message"]]);
  const isHeld = answer["decision"] === "block" || ruling["behavior"] === "deny";
  // `continue: false` ends the session, so it cannot keep a turn going.
  if (isHeld || (answer["continue"] === false && event !== "turn.stop")) return hold(event, reason);
  const context = isString(specific["additionalContext"]) ? specific["additionalContext"].trim() : "";
  // At the end of a turn, Claude Code keeps the turn going for text as for a block.
  return event === "turn.stop" && context !== "" ? hold(event, context) : contextOf(event, context);
}

function hold(event: HookableEvent, reason: string): LifecycleAnswer {
  const action = powersOf(event).hold;
  if (action === null) throw new Error(`it wants to stop ${event}, which nobody can: ${reason}`);
  return { action, reason: reason === "" ? "the hook gave no reason" : reason };
}

function contextOf(event: HookableEvent, text: string): LifecycleAnswer {
  return text === "" || !powersOf(event).injects ? undefined : { action: "proceed", additionalContext: text };
}
