import {
  ableTo,
  type EventView,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
} from "../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import { createLifecycleAdapter, MAY_HOLD, MAY_INJECT, REPORT_ONLY } from "../../hook-base/adapter/lifecycle-format.ts";
import { requireFiles } from "../../hook-base/adapter/patch.ts";
import { mcpNames } from "../../hook-base/adapter/tool-call.ts";
import { quoteJson, sliceText } from "../../hook-base/primordials.ts";
import { isRecord } from "../../hook-base/shape.ts";

const COPILOT_TOOLS: Readonly<Record<string, string>> = {
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

export const copilotCli = callAdapter({
  runtime: "copilot-cli",
  title: "Copilot CLI",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  canonicalTools: COPILOT_TOOLS,
  fields: {
    tool: "toolName",
    input: "toolArgs",
    output: "toolResult",
    error: "error",
    cwd: "cwd",
    session: "sessionId",
  },
  read: (tool, given) => ({ tool, input: readInput(tool, given) }),
  otherNames: copilotMcpNames,
  views,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
});

/** Older versions send the arguments as JSON text; a tool that takes text gets it as it is. */
function readInput(tool: string, given: unknown): unknown {
  const value = typeof given === "string" ? parse(given) : given;
  return tool === "apply_patch" && typeof given === "string" && !isRecord(value) ? { input: given } : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the model types into a running shell is a command, too. */
function views({ tool, input: { command, input, patch }, cwd }: SentCall): EventView[] {
  if (tool === "write_bash") return [{ toolName: "Bash", aliases: ["bash"], input: { command: input } }];
  if (tool === "powershell") return [powershellView(command)];
  if (tool === "write_powershell") return [powershellView(input)];
  return tool === "apply_patch" ? requireFiles(input ?? patch, cwd) : [];
}

function powershellView(command: unknown): EventView {
  return { toolName: "Bash", aliases: [], input: { command }, shell: "powershell" };
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
function copilotMcpNames(tool: string): string[] {
  return mcpNames(tool, "-");
}

const TOOL = { toolName: "toolName", toolInput: "toolArgs" } as const;
const SUBAGENT = { type: "agentName", agentId: "agentId" } as const;

/** The lifecycle events that Copilot CLI reports. Its events don't say their kind. */
export const copilotLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    "session.start": { name: "sessionStart", ...MAY_INJECT, fields: { source: "source" } },
    "session.end": { name: "sessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "userPromptSubmitted", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "permissionRequest",
      ...MAY_HOLD,
      fields: { toolName: "toolName", toolInput: "toolInput" },
    },
    "tool.after": { name: "postToolUse", ...MAY_INJECT, fields: { ...TOOL, output: "toolResult" } },
    "tool.failure": { name: "postToolUseFailure", ...REPORT_ONLY, fields: { ...TOOL, error: "error" } },
    "turn.stop": {
      name: "agentStop",
      ...MAY_HOLD,
      fields: {},
      // Copilot CLI reports the end of a subagent twice: with this event, and with the subagent's own. An event that
      // names no subagent is the end of the turn.
      isAnother: ({ agentId }) => typeof agentId === "string" && agentId !== "",
    },
    "subagent.start": { name: "subagentStart", ...MAY_INJECT, fields: SUBAGENT },
    "subagent.stop": { name: "subagentStop", ...MAY_HOLD, fields: { ...SUBAGENT, lastMessage: "response" } },
    "compact.before": {
      name: "preCompact",
      ...REPORT_ONLY,
      fields: { trigger: "trigger", instructions: "customInstructions" },
    },
    notify: {
      name: "notification",
      ...REPORT_ONLY,
      fields: { message: "message", title: "title", type: "notification_type" },
    },
  },
  others: ["errorOccurred", "userPromptTransformed"],
  canonicalTools: COPILOT_TOOLS,
  otherNames: copilotMcpNames,
  envelope: { session: "sessionId", folder: ({ cwd }) => cwd },
  // Copilot CLI doesn't say this about a subagent, which would go on for ever.
  isContinued: (wire, event) => (event === "turn.stop" ? wire["stop_hook_active"] === true : null),
  encode: encodeLifecycle,
}));

/** Copilot CLI has no field for a message to a person. */
function encodeLifecycle({ powers: { name }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") {
    const said =
      name === "permissionRequest"
        ? `"behavior":"deny","message":${quoteJson(reason)}`
        : `"decision":"block","reason":${quoteJson(reason)}`;
    return { text: `{${said}}\n`, effective: action };
  }
  return { text: context === null ? "" : `{"additionalContext":${quoteJson(context)}}\n`, effective: action };
}
