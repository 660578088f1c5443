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
  takeObject,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson, sliceText } from "../../../hook-base/primordials.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import type { Phase } from "../../../policy/event.ts";
import { claudeViews } from "../../claude-code/adapter/claude-code-calls.ts";

const PHASES: Readonly<Record<string, Phase>> = { tool_call: "pre-tool", tool_result: "post-tool" };

/** `edit` takes any number of replacements in one file. */
export const PI_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "MultiEdit",
  find: "Glob",
  grep: "Grep",
  list_mcp_resources: "ListMcpResourcesTool",
  ls: "LS",
  powershell: "PowerShell",
  read: "Read",
  read_mcp_resource: "ReadMcpResourceTool",
  write: "Write",
};

/** Pi calls drwn's extension, which sends what this reads and obeys what it says. */
export const pi: Adapter = {
  runtime: "pi",
  title: "Pi",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  canonicalTools: PI_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"message":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { type, toolName: sent, input: given, output, error, cwd, sessionId, ...others } = wire;
  if (type !== undefined) requirePhase(type, phase, PHASES);
  const tool = requireTool(sent, "toolName");
  const input = requireInput(given, "an input that isn't an object");
  const toolName = canonicalOf(tool, PI_TOOLS);
  const views = viewsOf(toolName, input);
  return describeCall({
    tool,
    toolName,
    input,
    views,
    output,
    error: errorOf(error),
    cwd,
    sessionId,
    callId: others["toolCallId"],
    // A policy that gets one part of an edit can also look at the whole.
    metadata: views.length === 0 ? others : { ...others, tool, input },
  });
}

function viewsOf(toolName: string, input: Readonly<Record<string, unknown>>): EventView[] {
  if (toolName !== "MultiEdit") return claudeViews(toolName, input);
  const { path, edits } = input;
  const parts = (Array.isArray(edits) ? edits : [input]).filter(isRecord);
  const named = parts.map(({ oldText, newText }) => ({ old_string: oldText, new_string: newText }));
  return claudeViews(toolName, { file_path: path, edits: named });
}

function encode({ action, reason, context, updatedInput }: PresentedVerdict): Reply {
  if (action === "deny") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  const asked = action === "ask" ? `,"ask":${quoteJson(reason)}` : "";
  const changed = updatedInput === null ? "" : `,"args":${updatedInput}`;
  const told = context === null ? "" : `,"context":${quoteJson(context)}`;
  const fields = asked + changed + told;
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
