import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type EventView,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import {
  canonicalOf,
  describeCall,
  errorOf,
  requireInput,
  requirePhase,
  requireTool,
  type ToolError,
  takeObject,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { BrokenEvent } from "../../../hook-base/read-input.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import type { Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  PostToolUseFailure: "post-tool",
};

/** The tools that Mastra has for apps. All others are the app's own. */
const CANONICAL: Readonly<Record<string, string>> = {
  mastra_workspace_edit_file: "Edit",
  mastra_workspace_execute_command: "Bash",
  mastra_workspace_grep: "Grep",
  mastra_workspace_list_files: "LS",
  mastra_workspace_read_file: "Read",
  mastra_workspace_write_file: "Write",
  web_fetch: "WebFetch",
};

/** Both ends of this protocol are drwn's: its module in the app, and the process that answers for the app. */
export const mastra: Adapter = {
  runtime: "mastra",
  title: "Mastra",
  can: ableTo("deny", "ask", "rewrite", "synthetic-output", "after-call", "after-failure"),
  onlyIf: { ask: "its agent has requireToolApproval" },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, error, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const toolName = canonicalOf(tool, CANONICAL);
  const input = requireInput(tool_input, "a tool_input that isn't an object");
  const views = viewsOf(tool, input);
  const event = describeCall({
    tool,
    toolName,
    input,
    views,
    output: tool_response,
    error: readError(error),
    cwd,
    sessionId: session_id,
    callId: others["tool_call_id"],
    metadata: toolName === tool && views.length === 0 ? others : { ...others, tool_name, tool_input },
  });
  // A sub-agent is a tool that has the agent's name.
  return tool.startsWith("agent-") ? { ...event, aliases: ["Agent"] } : event;
}

/**
 * The other tools that run a program or change files, as the calls that they amount to. Hooks aren't told what a program of
 * `execute_typescript` makes the app's tools do.
 */
function viewsOf(tool: string, { code, path, pattern, replacement }: Readonly<Record<string, unknown>>): EventView[] {
  if (tool === "execute_typescript")
    return [{ toolName: "Bash", aliases: [], input: { command: code }, shell: "javascript" }];
  if (tool !== "mastra_workspace_ast_edit" && tool !== "mastra_workspace_delete") return [];
  if (typeof path !== "string") throw new BrokenEvent("has no path");
  const [old_string, new_string] = [pattern, replacement].map((text) => (typeof text === "string" ? text : ""));
  return [{ toolName: "Edit", aliases: ["Write"], input: { file_path: path, old_string, new_string } }];
}

function readError(error: unknown): ToolError | undefined {
  if (!isRecord(error)) return errorOf(error);
  const { name, message } = error;
  return {
    name: typeof name === "string" ? name : "ToolError",
    message: typeof message === "string" ? message : String(JSON.stringify(message)),
  };
}

/** One line, or nothing if there is nothing to say. */
function encode({ action, reason, updatedInput, syntheticOutput = null }: PresentedVerdict): Reply {
  let fields = "";
  if (action !== "allow") fields += `,"reason":${quoteJson(reason)}`;
  if (syntheticOutput !== null) fields += `,"output":${syntheticOutput}`;
  if (updatedInput !== null) fields += `,"updatedInput":${updatedInput}`;
  return { text: fields === "" ? "" : `{"action":"${action}"${fields}}\n`, effective: action };
}
