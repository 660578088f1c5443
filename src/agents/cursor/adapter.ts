import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  preToolUse: "pre-tool",
  postToolUse: "post-tool",
  postToolUseFailure: "post-tool",
};

const CANONICAL: Readonly<Record<string, string>> = { Shell: "Bash" };

const OPENING_BRACE = 0x7b;

/**
 * By Cursor's documentation: the program was not run here. What that leaves open is taken for what the agent cannot do, so
 * that nothing is promised that may not hold.
 */
export const cursor: Adapter = {
  runtime: "cursor",
  title: "Cursor",
  can: {
    deny: true,
    ask: false,
    rewrite: false,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": true,
  },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"user_message":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, conversation_id, ...others } = wire;
  if (hook_event_name !== undefined && phaseOf(hook_event_name) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof tool_input !== "object" || tool_input === null || Array.isArray(tool_input)) {
    throw new BrokenEvent("has a tool_input that is no object");
  }
  const { cwd, tool_output: output, error_message: error, ...metadata } = others;
  const toolName = Object.hasOwn(CANONICAL, tool_name) ? String(CANONICAL[tool_name]) : tool_name;
  const folder = typeof cwd === "string" ? cwd : firstOf(others["workspace_roots"]);
  return {
    toolName,
    aliases: toolName === tool_name ? [] : [tool_name],
    input: tool_input,
    views: [],
    rest: {
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error: { name: "ToolError", message: textOf(error) } }),
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(typeof conversation_id === "string" ? { sessionId: conversation_id } : {}),
      metadata: toolName === tool_name ? metadata : { ...metadata, tool_name },
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

function firstOf(roots: unknown): string | undefined {
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return typeof root === "string" ? root : undefined;
}

function textOf(error: unknown): string {
  return typeof error === "string" ? error : JSON.stringify(error);
}

function encode({ action, reason }: Saying): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  const said = quoteJson(reason);
  return { text: `{"permission":"deny","user_message":${said},"agent_message":${said}}\n`, effective: "deny" };
}
