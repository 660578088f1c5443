import {
  ableTo,
  type EventView,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
} from "../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import {
  claudeFormats,
  createLifecycleAdapter,
  fieldOfNotice,
  fieldsOfContext,
  fieldsOfHold,
  MAY_HOLD,
  REPORT_ONLY,
} from "../../hook-base/adapter/lifecycle-format.ts";
import { requireFiles, viewsOfCommand } from "../../hook-base/adapter/patch.ts";
import { fileOfUri, takeObject, textViews } from "../../hook-base/adapter/tool-call.ts";
import { getField, matchFrom, parseJson, quoteJson } from "../../hook-base/primordials.ts";

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

/** The lifecycle events that Codex reports. */
export const codexLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    ...claudeFormats(),
    "compact.before": { name: "PreCompact", ...MAY_HOLD, fields: { trigger: "trigger" } },
    "compact.after": { name: "PostCompact", ...REPORT_ONLY, fields: { trigger: "trigger" } },
  },
  others: ["Interrupt", "PostModelRequest", "PreModelRequest"],
  canonicalTools: CODEX_TOOLS,
  encode: encodeLifecycle,
}));

/** Codex takes an answer whole or not at all, and each event has its own fields. */
function encodeLifecycle(saying: PresentedLifecycleVerdict): Reply {
  const { powers, action, reason, context } = saying;
  const { name } = powers;
  let fields = isSilent(name) ? "" : fieldOfNotice(saying);
  if (action !== "allow") fields += held(name, reason);
  else if (context !== null && powers.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":${continues(name, action)}${fields}}\n`, effective: action };
}

/** The events whose answers Codex does not read. */
function isSilent(name: string): boolean {
  return name === "SessionEnd" || name === "Interrupt" || name === "PreModelRequest" || name === "PostModelRequest";
}

/** `continue: false` holds a compaction; a field of their own holds all other events. */
function continues(name: string, action: PresentedLifecycleVerdict["action"]): string {
  return name === "PreCompact" && action !== "allow" ? "false" : "true";
}

function held(name: string, reason: string): string {
  if (name === "PreCompact") return `,"stopReason":${quoteJson(reason)}`;
  return fieldsOfHold(name, reason);
}
