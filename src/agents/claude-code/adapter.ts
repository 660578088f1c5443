import {
  type Adapter,
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
  type LifecycleEventFormats,
  MAY_HOLD,
  REPORT_ONLY,
} from "../../hook-base/adapter/lifecycle-format.ts";
import { requireFiles } from "../../hook-base/adapter/patch.ts";
import { fileOfUri, mcpNames, textViews } from "../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../hook-base/primordials.ts";
import { isRecord } from "../../hook-base/shape.ts";

/**
 * A shell line in a skill or a command, which Claude Code runs before it shows the text to the model, since 2.1.332: as a
 * call of `Bash` that it can't ask about.
 */
const SKILL_LINE = "PreSkillShellCommand";

const calls = callAdapter({
  runtime: "claude-code",
  title: "Claude Code",
  can: ableTo("deny", "ask", "rewrite", "context", "after-call", "after-failure"),
  // Its names are the canonical ones; `claudeCanonicalName` has those that depend on the call.
  canonicalTools: {},
  phases: {
    PreToolUse: "pre-tool",
    [SKILL_LINE]: "pre-tool",
    PostToolUse: "post-tool",
    PostToolUseFailure: "post-tool",
  },
  fields: { ...CLAUDE_FIELDS, output: ["tool_response", "tool_result"], error: "error", call: "tool_use_id" },
  read(tool, input) {
    const patch = patchIn(tool, input);
    return patch === undefined ? { tool, input } : { tool: "apply_patch", input: { input: patch } };
  },
  canonicalName: claudeCanonicalName,
  otherNames: (tool) => mcpNames(tool, "-"),
  views,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
});

/**
 * Other programs read Claude Code's settings and send less, so every field except the tool's name and input is
 * optional. Copilot CLI has its own names for a result, for a patch, and for the tools of MCP servers
 * (`<server>-<tool>`).
 */
export const claudeCode: Adapter = {
  ...calls,
  decode: (wire, phase) => ({
    ...calls.decode(wire, phase),
    isOnlyDeniable: wire["hook_event_name"] === SKILL_LINE,
  }),
};

function views({ tool, input, cwd }: SentCall): readonly EventView[] {
  const patch = patchIn(tool, input);
  return patch === undefined ? claudeViews(tool, input) : requireFiles(patch, cwd);
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

type Input = Readonly<Record<string, unknown>>;

/** What Claude Code's own MCP servers do as `Bash` and `WebFetch` do. */
const SAME: Readonly<Record<string, string>> = {
  mcp__workspace__bash: "Bash",
  mcp__workspace__web_fetch: "WebFetch",
};

/** Tools that run a text which isn't for a POSIX shell, and what reads it. */
const RUNNERS: Readonly<Record<string, string>> = {
  Eval: "javascript",
  JavaScript: "javascript",
  mcp__ide__executeCode: "python",
  PowerShell: "powershell",
  REPL: "javascript",
  Tmux: "tmux",
};

/**
 * The canonical name of a tool: by what the call does, since Claude Code calls its shell `Monitor`, too. It tells a hook
 * of `Monitor` as `Bash` only if the entry's matcher fits the one and not the other.
 */
function claudeCanonicalName(tool: string, input: unknown): string {
  if (tool === "Monitor") return isRecord(input) && typeof input["command"] === "string" ? "Bash" : tool;
  return Object.hasOwn(SAME, tool) ? String(SAME[tool]) : tool;
}

/** What a call does besides, or under a name that no other agent has, as calls of the common tools. */
export function claudeViews(tool: string, input: Input): EventView[] {
  if (Object.hasOwn(RUNNERS, tool)) return [commandView(textToRun(input), RUNNERS[tool])];
  switch (tool) {
    case "Monitor":
      return isRecord(input["ws"]) && "url" in input["ws"] ? textViews("WebFetch", "url", [input["ws"]["url"]]) : [];
    case "NotebookEdit":
      return editViews(input["notebook_path"], [{ new_string: input["new_source"] }]);
    case "MultiEdit":
      return editViews(input["file_path"], Array.isArray(input["edits"]) ? input["edits"] : []);
    // These show or send a file to somebody.
    case "Artifact":
    case "LSP":
    case "Projects":
    case "SendUserFile":
      return readViews(input);
    case "ReadMcpResourceTool":
      return textViews("Read", "file_path", [fileOfUri(input["uri"])]);
    // As Copilot CLI calls it: what the model types into a running shell is a command, too.
    case "write_bash":
      return [commandView(input["input"])];
    default:
      return [];
  }
}

function commandView(command: unknown, shell?: string): EventView {
  return { toolName: "Bash", aliases: [], input: { command }, ...(shell === undefined ? {} : { shell }) };
}

/** Nobody knows which of several texts runs. If none has a known name, all of the input is the text. Each argument may be typed. */
function textToRun(input: Input): string {
  const { args, command, code, script, keys, input: typed } = input;
  const texts = [command, code, script, keys, typed].filter((text) => typeof text === "string");
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  return [...(texts.length > 0 ? texts : [JSON.stringify(input)]), ...words].join("\n");
}

function editViews(file_path: unknown, edits: readonly unknown[]): EventView[] {
  return edits.map((edit) => {
    const [old_string, new_string] = ["old_string", "new_string"].map((name) => {
      const text = isRecord(edit) ? edit[name] : undefined;
      return typeof text === "string" ? text : "";
    });
    return { toolName: "Edit", aliases: ["Write"], input: { file_path, old_string, new_string } };
  });
}

function readViews(input: Input): EventView[] {
  const { file_path, filePath, local_path, file_paths, files } = input;
  const lists = [file_paths, files].flatMap((list) => (Array.isArray(list) ? list : [list]));
  return textViews("Read", "file_path", [file_path, filePath, local_path, ...lists]);
}

/** The lifecycle events of Claude Code that other agents have, too. */
export const claudeCodeFormats = () =>
  ({
    ...claudeFormats(),
    "tool.failure": {
      name: "PostToolUseFailure",
      ...REPORT_ONLY,
      fields: { toolName: "tool_name", toolInput: "tool_input", error: "error" },
    },
    "compact.before": {
      name: "PreCompact",
      ...MAY_HOLD,
      fields: { trigger: "trigger", instructions: "custom_instructions" },
    },
    "compact.after": {
      name: "PostCompact",
      ...REPORT_ONLY,
      fields: { trigger: "trigger", summary: "compact_summary" },
    },
    notify: {
      name: "Notification",
      ...REPORT_ONLY,
      fields: { message: "message", title: "title", type: "notification_type" },
    },
  }) as const satisfies LifecycleEventFormats;

/** The lifecycle events that Claude Code reports. Hooks can only watch those that no other agent has. */
export const claudeLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: claudeCodeFormats(),
  others: [
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "PermissionDenied",
    "PostModelSwitch",
    "PostToolBatch",
    "PreModelSwitch",
    "Setup",
    "StopFailure",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
  ],
  canonicalTools: {},
  nameTool: (tool, wire) => claudeCanonicalName(tool, wire["tool_input"]),
  encode: encodeLifecycle,
}));

/** Says nothing to let an event proceed: an approval would skip what the user's own permissions ask about. */
function encodeLifecycle(saying: PresentedLifecycleVerdict): Reply {
  const { powers, action, reason, context } = saying;
  const { name } = powers;
  let fields = fieldOfNotice(saying);
  if (action !== "allow") fields += fieldsOfHold(name, reason);
  else if (context !== null && powers.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":true${fields}}\n`, effective: action };
}
