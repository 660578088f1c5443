import { ableTo, type EventView, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../../hook-base/adapter/call-adapter.ts";
import { requireFiles } from "../../../hook-base/adapter/patch.ts";
import { mcpNames } from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson, sliceText } from "../../../hook-base/primordials.ts";
import { isRecord } from "../../../hook-base/shape.ts";

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
export function copilotMcpNames(tool: string): string[] {
  return mcpNames(tool, "-");
}
