import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";
import { claudeMoments } from "./adapter-moments.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  PostToolUseFailure: "post-tool",
};

const OPENING_BRACE = 0x7b;

/** Other programs read Claude Code's settings and send less: every field but the tool's name and input is optional. */
export const claudeCode: Adapter = {
  runtime: "claude-code",
  title: "Claude Code",
  can: {
    deny: true,
    ask: true,
    rewrite: true,
    context: true,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": true,
  },
  // Its names are the canonical ones.
  canonicalTools: {},
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
  moments: claudeMoments,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, error, cwd, session_id, ...metadata } = wire;
  if (hook_event_name !== undefined && phaseOf(hook_event_name) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof tool_input !== "object" || tool_input === null || Array.isArray(tool_input)) {
    throw new BrokenEvent("has a tool_input that is no object");
  }
  return {
    toolName: tool_name,
    aliases: [],
    input: tool_input,
    views: [],
    rest: {
      ...(tool_response === undefined ? {} : { output: tool_response }),
      ...(error === undefined ? {} : { error: { name: "ToolError", message: textOf(error) } }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata,
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

function textOf(error: unknown): string {
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** `permissionDecision: "allow"` is never said: it would skip the user's own permission prompt. */
function encode({ action, reason, context, updatedInput }: Saying): Reply {
  let fields = "";
  if (action !== "allow") {
    fields += `,"permissionDecision":"${action}","permissionDecisionReason":${quoteJson(reason)}`;
  }
  if (updatedInput !== null) fields += `,"updatedInput":${updatedInput}`;
  if (context !== null) fields += `,"additionalContext":${quoteJson(context)}`;
  const text = fields === "" ? "" : `{"hookSpecificOutput":{"hookEventName":"PreToolUse"${fields}}}\n`;
  return { text, effective: action };
}
