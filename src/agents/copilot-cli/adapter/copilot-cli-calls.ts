import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type EventView,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import { requireFiles } from "../../../hook-base/adapter/patch.ts";
import {
  canonicalOf,
  describeCall,
  errorOf,
  mcpNames,
  ofAnotherKind,
  requireTool,
  takeObject,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson, sliceText } from "../../../hook-base/primordials.ts";
import { BrokenEvent } from "../../../hook-base/read-input.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import type { Phase } from "../../../policy/event.ts";

export const COPILOT_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  create: "Write",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  rg: "Grep",
  skill: "Skill",
  str_replace_editor: "Edit",
  task: "Agent",
  view: "Read",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
};

export const copilotCli: Adapter = {
  runtime: "copilot-cli",
  title: "Copilot CLI",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  canonicalTools: COPILOT_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

/** Copilot CLI's events don't say their kind. One with a result comes after the call. */
function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { toolName: sent, toolArgs, toolResult, error, cwd, sessionId, ...others } = wire;
  if (phase === "pre-tool" && (toolResult !== undefined || error !== undefined)) {
    throw ofAnotherKind(phase);
  }
  const tool = requireTool(sent, "toolName");
  const input = readInput(tool, toolArgs);
  const views = viewsOf(tool, input, cwd);
  return describeCall({
    tool,
    toolName: canonicalOf(tool, COPILOT_TOOLS),
    otherNames: copilotMcpNames(tool),
    input,
    views,
    output: toolResult,
    error: errorOf(error),
    cwd,
    sessionId,
    // A policy that gets one part of a call can also look at the whole call.
    metadata: views.length > 0 ? { ...others, toolName: tool, toolArgs } : { ...others, toolName: tool },
  });
}

/** Older versions send the arguments as JSON text; a tool that takes text gets it as it is. */
function readInput(tool: string, given: unknown): object {
  const value = typeof given === "string" ? parse(given) : given;
  if (isRecord(value)) return value;
  if (tool === "apply_patch" && typeof given === "string") return { input: given };
  throw new BrokenEvent("has toolArgs that aren't an object");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the model types into a running shell is a command, too. */
function viewsOf(tool: string, input: object, cwd: unknown): EventView[] {
  if (tool === "write_bash") {
    const command = "input" in input ? input.input : undefined;
    return [{ toolName: "Bash", aliases: ["bash"], input: { command } }];
  }
  if (tool === "powershell" || tool === "write_powershell") {
    const command = "command" in input ? input.command : "input" in input ? input.input : undefined;
    return [{ toolName: "Bash", aliases: [], input: { command }, shell: "powershell" }];
  }
  if (tool !== "apply_patch") return [];
  const patch = "input" in input ? input.input : "patch" in input ? input.patch : undefined;
  return requireFiles(patch, cwd);
}

/** Never sends `allow`, which would skip the question that Copilot CLI itself would ask. */
function encode({ action, reason, context, updatedInput }: PresentedVerdict): Reply {
  let fields = "";
  if (action !== "allow") {
    fields += `,"permissionDecision":"${action}","permissionDecisionReason":${quoteJson(reason)}`;
  } else if (updatedInput !== null) {
    fields += `,"modifiedArgs":${updatedInput}`;
  }
  if (context !== null) fields += `,"additionalContext":${quoteJson(context)}`;
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}

/** A tool of an MCP server is called `<server>-<tool>`. */
export function copilotMcpNames(tool: string): string[] {
  return mcpNames(tool, "-");
}
