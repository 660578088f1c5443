import {
  type Adapter,
  ableTo,
  type EventView,
  type PresentedVerdict,
  type Reply,
} from "../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import { errorOf, mcpNames, type ToolError } from "../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../hook-base/primordials.ts";
import { BrokenEvent } from "../../hook-base/read-input.ts";
import { isRecord } from "../../hook-base/shape.ts";

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

const calls = callAdapter({
  runtime: "mastra",
  title: "Mastra",
  can: ableTo("deny", "ask", "rewrite", "synthetic-output", "after-call", "after-failure"),
  onlyIf: { ask: "its agent has requireToolApproval" },
  canonicalTools: CANONICAL,
  phases: { PreToolUse: "pre-tool", PostToolUse: "post-tool", PostToolUseFailure: "post-tool" },
  fields: { ...CLAUDE_FIELDS, error: "error", call: "tool_call_id" },
  otherNames,
  errorIn: ({ error }) => readError(error),
  views,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
});

/** Both ends of this protocol are drwn's: its module in the app, and the process that answers for the app. */
export const mastra: Adapter = {
  ...calls,
  decode(wire, phase) {
    const event = calls.decode(wire, phase);
    // A sub-agent is a tool that has the agent's name.
    return event.toolName.startsWith("agent-") ? { ...event, aliases: [...event.aliases, "Agent"] } : event;
  },
};

/** Mastra's own, and agents and workflows of the app. */
const NO_SERVER = /^(?:mastra_workspace_|execute_typescript$|(?:agent|workflow)-)/u;

/** A tool of an MCP server is called `<server>_<tool>`. */
function otherNames(tool: string): string[] {
  return NO_SERVER.test(tool) ? [] : mcpNames(tool, "_");
}

/**
 * The other tools that run a program or change files, as the calls that they amount to. Hooks aren't told what a program of
 * `execute_typescript` makes the app's tools do.
 */
function views({ tool, input: { code, path, pattern, replacement } }: SentCall): EventView[] {
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
