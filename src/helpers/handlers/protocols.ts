import type { Decision } from "../../policy/decision.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { isMapping, isString } from "../guards.ts";
import { type AnswerFields, firstText, parse, question, tail } from "./answers.ts";
import type { HandlerOutput, HandlerQuestion, ProtocolName } from "./handler.ts";
import { namesInCall } from "./native-names.ts";

/** How the handlers of one system are asked, and what their answers mean. */
export interface Protocol {
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
