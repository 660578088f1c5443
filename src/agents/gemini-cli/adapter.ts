import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";

const PHASES: Readonly<Record<string, Phase>> = { BeforeTool: "pre-tool", AfterTool: "post-tool" };

const CANONICAL: Readonly<Record<string, string>> = {
  activate_skill: "Skill",
  glob: "Glob",
  google_web_search: "WebSearch",
  grep_search: "Grep",
  list_directory: "LS",
  read_file: "Read",
  replace: "Edit",
  run_shell_command: "Bash",
  search_file_content: "Grep",
  web_fetch: "WebFetch",
  write_file: "Write",
  write_todos: "TodoWrite",
};

const OPENING_BRACE = 0x7b;

/** Gemini CLI heeds no context before a call, and reports a call that failed as one that was made, with an error. */
export const geminiCli: Adapter = {
  runtime: "gemini-cli",
  title: "Gemini CLI",
  can: {
    deny: true,
    ask: true,
    rewrite: true,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": true,
  },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined && phaseOf(hook_event_name) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof tool_input !== "object" || tool_input === null || Array.isArray(tool_input)) {
    throw new BrokenEvent("has a tool_input that is no object");
  }
  const toolName = canonicalName(tool_name, wire["mcp_context"]);
  const error = errorOf(tool_response);
  return {
    toolName,
    aliases: toolName === tool_name ? [] : [tool_name],
    input: tool_input,
    views: [],
    rest: {
      ...(tool_response === undefined ? {} : { output: tool_response }),
      ...(error === undefined ? {} : { error: { name: "ToolError", message: error } }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: toolName === tool_name ? others : { ...others, tool_name },
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

/** A tool of an MCP server is called `mcp_<server>_<tool>`, which does not tell the one from the other; its context does. */
function canonicalName(tool: string, context: unknown): string {
  if (typeof context === "object" && context !== null && "server_name" in context && "tool_name" in context) {
    const { server_name: server, tool_name: name } = context;
    if (typeof server === "string" && typeof name === "string") return `mcp__${server}__${name}`;
  }
  return Object.hasOwn(CANONICAL, tool) ? String(CANONICAL[tool]) : tool;
}

function errorOf(response: unknown): string | undefined {
  if (typeof response !== "object" || response === null || !("error" in response)) return undefined;
  const { error } = response;
  if (error === undefined || error === null) return undefined;
  const message = typeof error === "object" && "message" in error ? error.message : error;
  return typeof message === "string" ? message : JSON.stringify(message);
}

/** An answer without a decision leaves the rules of Gemini CLI in force, on the rewritten input too. */
function encode({ action, reason, updatedInput }: Saying): Reply {
  if (action !== "allow") {
    // Of an ask, a person is shown `systemMessage`; of a deny, the model gets `reason`.
    const said = action === "ask" ? `,"systemMessage":${quoteJson(reason)}` : "";
    return { text: `{"decision":"${action}","reason":${quoteJson(reason)}${said}}\n`, effective: action };
  }
  if (updatedInput === null) return { text: "", effective: action };
  const text = `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":${updatedInput}}}\n`;
  return { text, effective: action };
}
