import { ableTo, type EventView, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter, type SentCall } from "../../../hook-base/adapter/call-adapter.ts";
import { requireFiles, viewsOfCommand } from "../../../hook-base/adapter/patch.ts";
import { fileOfUri, takeObject, textViews } from "../../../hook-base/adapter/tool-call.ts";
import { getField, matchFrom, parseJson, quoteJson } from "../../../hook-base/primordials.ts";

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
export const codex = callAdapter({
  runtime: "codex",
  title: "Codex",
  can: ableTo("deny", "rewrite", "context", "after-call"),
  canonicalTools: CODEX_TOOLS,
  phases: { PreToolUse: "pre-tool", PostToolUse: "post-tool" },
  fields: { ...CLAUDE_FIELDS, call: "tool_use_id" },
  views,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput,
});

/** The files of a patch. Codex also takes a patch that the model types into the shell. */
function views({ tool, input: { chars, command, input, uri }, cwd }: SentCall): EventView[] {
  // Codex tells no hook of it; transcripts have it. Without a text it only waits.
  if (tool === "write_stdin")
    return typeof chars === "string" && chars !== "" ? textViews("Bash", "command", [chars]) : [];
  if (tool === "read_mcp_resource") return textViews("Read", "file_path", [fileOfUri(uri)]);
  const text = command ?? input;
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
