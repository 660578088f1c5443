import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hot/adapter/adapter.ts";
import { requireFiles } from "../../../hot/adapter/patch.ts";
import {
  type CallFields,
  describeCall,
  errorOf,
  mcpNames,
  requireInput,
  requirePhase,
  requireTool,
  takeObject,
} from "../../../hot/adapter/tool-call.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { isRecord } from "../../../hot/shape.ts";
import type { Phase } from "../../../policy/event.ts";
import { claudeCanonicalName, claudeViews } from "./tools.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  PostToolUseFailure: "post-tool",
};

/**
 * Other programs read Claude Code's settings and send less, so every field except the tool's name and input is
 * optional. Copilot CLI has its own names for a result, for a patch, and for the tools of MCP servers
 * (`<server>-<tool>`).
 */
export const claudeCode: Adapter = {
  runtime: "claude-code",
  title: "Claude Code",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  // Its names are the canonical ones; `claudeCanonicalName` has those that depend on the call.
  canonicalTools: {},
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput: takeObject,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, tool_result, error, cwd, session_id, ...metadata } =
    wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const patch = patchIn(tool, tool_input);
  return describeCall({
    ...(patch === undefined
      ? readCall(tool, tool_input, metadata)
      : {
          tool: "apply_patch",
          input: { input: patch },
          views: requireFiles(patch, cwd),
          metadata: { ...metadata, tool_name, tool_input },
        }),
    output: tool_response === undefined ? tool_result : tool_response,
    error: errorOf(error),
    cwd,
    sessionId: session_id,
    callId: metadata["tool_use_id"],
  });
}

type CallParts = Pick<CallFields, "input" | "metadata" | "otherNames" | "tool" | "toolName" | "views">;

function readCall(tool: string, tool_input: unknown, metadata: Wire): CallParts {
  const input = requireInput(tool_input, "a tool_input that isn't an object");
  const [toolName, views, otherNames] = [
    claudeCanonicalName(tool, input),
    claudeViews(tool, input),
    mcpNames(tool, "-"),
  ];
  const isOwn = toolName === tool && views.length === 0 && otherNames.length === 0;
  const sent = isOwn ? metadata : { ...metadata, tool_name: tool };
  return { tool, toolName, otherNames, input, views, metadata: views.length === 0 ? sent : { ...sent, tool_input } };
}

/** Copilot CLI sends a patch of any number of files as an `Edit`. Undefined: this isn't a patch. */
function patchIn(tool: string, sent: unknown): string | undefined {
  if (tool !== "Edit" && tool !== "apply_patch") return undefined;
  if (typeof sent === "string") return sent;
  if (!isRecord(sent) || "file_path" in sent || "path" in sent) return undefined;
  return typeof sent["input"] === "string" ? sent["input"] : undefined;
}

/** Never sends `permissionDecision: "allow"`, which would skip the user's own permission prompt. */
function encode({ action, reason, context, updatedInput, notice = null }: PresentedVerdict): Reply {
  let fields = "";
  if (action !== "allow") {
    fields += `,"permissionDecision":"${action}","permissionDecisionReason":${quoteJson(reason)}`;
  }
  if (updatedInput !== null) fields += `,"updatedInput":${updatedInput}`;
  if (context !== null) fields += `,"additionalContext":${quoteJson(context)}`;
  const shown = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  const text = fields === "" ? "" : `{"hookSpecificOutput":{"hookEventName":"PreToolUse"${fields}}${shown}}\n`;
  return { text, effective: action };
}
