import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type EventView,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import { requireFiles, viewsOfCommand } from "../../../hook-base/adapter/patch.ts";
import {
  canonicalOf,
  describeCall,
  fileOfUri,
  requireInput,
  requirePhase,
  requireTool,
  takeObject,
  textViews,
} from "../../../hook-base/adapter/tool-call.ts";
import { getField, matchFrom, parseJson, quoteJson } from "../../../hook-base/primordials.ts";
import type { Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = { PreToolUse: "pre-tool", PostToolUse: "post-tool" };

/** Codex tells hooks of its shell as `Bash`; the model knows the same tool by these names. */
export const CODEX_TOOLS: Readonly<Record<string, string>> = {
  // Its name where the model has code mode.
  collaborationspawn_agent: "Agent",
  exec_command: "Bash",
  list_mcp_resources: "ListMcpResourcesTool",
  local_shell: "Bash",
  read_mcp_resource: "ReadMcpResourceTool",
  shell: "Bash",
  shell_command: "Bash",
  spawn_agent: "Agent",
};

/** Codex takes an answer whole or not at all, and makes a call whose answer it doesn't take. */
export const codex: Adapter = {
  runtime: "codex",
  title: "Codex",
  can: ableTo("deny", "rewrite", "context", "after-call"),
  canonicalTools: CODEX_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const input = requireInput(tool_input, "a tool_input that isn't an object");
  const views = viewsOf(tool, input, cwd);
  const toolName = canonicalOf(tool, CODEX_TOOLS);
  return describeCall({
    tool,
    toolName,
    input,
    views,
    output: tool_response,
    cwd,
    sessionId: session_id,
    callId: others["tool_use_id"],
    // A policy that gets one part of a patch can also look at the whole patch.
    metadata: views.length === 0 && toolName === tool ? others : { ...others, tool_name, tool_input },
  });
}

/** The files of a patch. Codex also takes a patch that the model types into the shell. */
function viewsOf(tool: string, input: object, cwd: unknown): EventView[] {
  // Codex tells no hook of it; transcripts have it. Without a text it only waits.
  if (tool === "write_stdin")
    return "chars" in input && typeof input.chars === "string" && input.chars !== ""
      ? [{ toolName: "Bash", aliases: [], input: { command: input.chars } }]
      : [];
  if (tool === "read_mcp_resource")
    return textViews("Read", "file_path", ["uri" in input ? fileOfUri(input.uri) : undefined]);
  const text = "command" in input ? input.command : "input" in input ? input.input : undefined;
  const patch = Array.isArray(text) ? text.filter((part) => typeof part === "string").join("\n") : text;
  if (tool === "apply_patch") return requireFiles(patch, cwd);
  return typeof patch === "string" ? viewsOfCommand(patch, cwd) : [];
}

const PATCH = /\*\*\* Begin Patch/gu;

/**
 * Refuses a rewrite that holds a patch: policies see a patch as other calls, too, and nobody would be asked about
 * these.
 */
function takeInput(text: string): string | null {
  if (takeObject(text) === null) return null;
  const command: unknown = getField(parseJson(text) as object, "command");
  return matchFrom(PATCH, typeof command === "string" ? command : text, 0) === null ? text : null;
}

/** Sends `allow` exactly when there is a rewritten input: Codex refuses `allow` alone, and a rewrite without it. */
function encode({ action, reason, context, updatedInput, notice = null }: PresentedVerdict): Reply {
  let fields = "";
  if (action !== "allow") fields += `,"permissionDecision":"deny","permissionDecisionReason":${quoteJson(reason)}`;
  else if (updatedInput !== null) fields += `,"permissionDecision":"allow","updatedInput":${updatedInput}`;
  if (context !== null) fields += `,"additionalContext":${quoteJson(context)}`;
  const shown = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  const text = fields === "" ? "" : `{"hookSpecificOutput":{"hookEventName":"PreToolUse"${fields}}${shown}}\n`;
  return { text, effective: action === "allow" ? "allow" : "deny" };
}
