import { ableTo, type EventView, type PresentedVerdict, type Reply } from "../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import { createLifecycleAdapter, MAY_HOLD, MAY_INJECT, REPORT_ONLY } from "../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson, sliceText } from "../../hook-base/primordials.ts";
import { isRecord } from "../../hook-base/shape.ts";
import { claudeViews } from "../claude-code/adapter.ts";
import { tellPlugin } from "../opencode/adapter.ts";

/** `edit` takes any number of replacements in one file. */
const PI_TOOLS: Readonly<Record<string, string>> = {
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
export const pi = callAdapter({
  runtime: "pi",
  title: "Pi",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  canonicalTools: PI_TOOLS,
  phases: { tool_call: "pre-tool", tool_result: "post-tool" },
  fields: {
    event: "type",
    tool: "toolName",
    input: "input",
    output: "output",
    error: "error",
    cwd: "cwd",
    session: "sessionId",
    call: "toolCallId",
  },
  views,
  encode,
  encodeCanary: (text) => `{"message":${quoteJson(text)}}\n`,
});

function views({ toolName, input }: SentCall): EventView[] {
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

const CALL = { toolName: "toolName", toolInput: "input" } as const;

/** The lifecycle events that Pi reports to extensions, as drwn's extension sends them. */
export const piLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    "session.start": { name: "session_start", ...MAY_INJECT, fields: { source: "reason" } },
    "session.end": { name: "session_shutdown", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "input", ...MAY_HOLD, injects: true, fields: { prompt: "text" } },
    "tool.after": { name: "tool_result", ...MAY_INJECT, fields: { ...CALL, output: "output" } },
    "tool.failure": { name: "tool_result isError", ...REPORT_ONLY, fields: { ...CALL, error: "error" } },
    "turn.stop": { name: "agent_before_settle", ...MAY_HOLD, fields: { lastMessage: "lastMessage" } },
    "compact.before": {
      name: "session_before_compact",
      ...MAY_HOLD,
      fields: { trigger: "trigger", instructions: "customInstructions" },
    },
    "compact.after": { name: "session_compact", ...REPORT_ONLY, fields: { trigger: "trigger" } },
  },
  others: [],
  canonicalTools: PI_TOOLS,
  encode: tellPlugin,
}));
