import { ableTo, type EventView, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../../hook-base/adapter/call-adapter.ts";
import { quoteJson, sliceText } from "../../../hook-base/primordials.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import { claudeViews } from "../../claude-code/adapter/claude-code-calls.ts";

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
