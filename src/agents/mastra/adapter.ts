import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  PostToolUseFailure: "post-tool",
};

/** The tools of its workspaces. All others are the app's own. */
const CANONICAL: Readonly<Record<string, string>> = {
  mastra_workspace_edit_file: "Edit",
  mastra_workspace_execute_command: "Bash",
  mastra_workspace_grep: "Grep",
  mastra_workspace_read_file: "Read",
  mastra_workspace_write_file: "Write",
};

const OPENING_BRACE = 0x7b;

/** What it reads and says is between drwn's own module in the app and the process that answers for it. */
export const mastra: Adapter = {
  runtime: "mastra",
  title: "Mastra",
  can: {
    deny: true,
    ask: true,
    rewrite: true,
    context: false,
    "synthetic-output": true,
    "after-call": true,
    "after-failure": true,
  },
  onlyIf: { ask: "its agent has requireToolApproval" },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, error, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined && phaseOf(hook_event_name) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof tool_input !== "object" || tool_input === null || Array.isArray(tool_input)) {
    throw new BrokenEvent("has a tool_input that is no object");
  }
  const toolName = Object.hasOwn(CANONICAL, tool_name) ? String(CANONICAL[tool_name]) : tool_name;
  return {
    toolName,
    aliases: aliasesOf(toolName, tool_name),
    input: tool_input,
    views: [],
    rest: {
      ...(tool_response === undefined ? {} : { output: tool_response }),
      ...(error === undefined ? {} : { error: readError(error) }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: toolName === tool_name ? others : { ...others, tool_name, tool_input },
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

/** A sub-agent is a tool that is called by the agent's name. */
function aliasesOf(toolName: string, own: string): string[] {
  if (toolName !== own) return [own];
  return own.startsWith("agent-") ? ["Agent"] : [];
}

function readError(error: unknown): { name: string; message: string } {
  const { name, message } = (typeof error === "object" && error !== null ? error : { message: error }) as Wire;
  return {
    name: typeof name === "string" ? name : "ToolError",
    message: typeof message === "string" ? message : String(JSON.stringify(message)),
  };
}

/** One line; nothing where nobody has anything to say. */
function encode({ action, reason, updatedInput, syntheticOutput = null }: Saying): Reply {
  let fields = "";
  if (action !== "allow") fields += `,"reason":${quoteJson(reason)}`;
  if (syntheticOutput !== null) fields += `,"output":${syntheticOutput}`;
  if (updatedInput !== null) fields += `,"updatedInput":${updatedInput}`;
  return { text: fields === "" ? "" : `{"action":"${action}"${fields}}\n`, effective: action };
}
