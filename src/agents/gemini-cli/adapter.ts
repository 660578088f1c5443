import {
  type Adapter,
  ableTo,
  type EventView,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import {
  createLifecycleAdapter,
  fieldsOfContext,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../hook-base/adapter/lifecycle-format.ts";
import {
  canonicalOf,
  errorOf,
  fileOfUri,
  type ToolError,
  takeObject,
  textViews,
} from "../../hook-base/adapter/tool-call.ts";
import { toJsonText } from "../../hook-base/json-text.ts";
import { getField, isOwnEnumerable, matchFrom, parseJson, quoteJson, sliceText } from "../../hook-base/primordials.ts";

export const GEMINI_TOOLS: Readonly<Record<string, string>> = {
  activate_skill: "Skill",
  glob: "Glob",
  google_web_search: "WebSearch",
  grep_search: "Grep",
  invoke_agent: "Agent",
  list_directory: "LS",
  read_file: "Read",
  replace: "Edit",
  run_shell_command: "Bash",
  search_file_content: "Grep",
  web_fetch: "WebFetch",
  write_file: "Write",
  write_todos: "TodoWrite",
};

const calls = callAdapter({
  runtime: "gemini-cli",
  title: "Gemini CLI",
  can: ableTo("deny", "ask", "rewrite", "after-call", "after-failure"),
  canonicalTools: GEMINI_TOOLS,
  phases: { BeforeTool: "pre-tool", AfterTool: "post-tool" },
  fields: CLAUDE_FIELDS,
  canonicalName: (tool, _, { mcp_context }) => geminiCanonicalName(tool, mcp_context),
  errorIn: ({ tool_response }) => errorIn(tool_response),
  views,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput,
});

/** Gemini CLI ignores context before a call, and reports a failed call as a completed one with an error. */
export const geminiCli: Adapter = {
  ...calls,
  decode(wire, phase) {
    const event = calls.decode(wire, phase);
    // Another reading of a path is the whole call, not a part of it.
    return { ...event, isDivided: event.views.some(({ toolName }) => toolName !== event.toolName) };
  },
};

/** Tools that read files under a name that no other agent has. */
const READERS: ReadonlySet<unknown> = new Set(["read_many_files", "read_mcp_resource"]);

function views(call: SentCall): EventView[] {
  const files = filesReadBy(call);
  return files.length > 0 ? files : otherReadings(call);
}

/** Gemini CLI expands patterns in them; drwn doesn't. */
function filesReadBy({ tool, input: { uri, include, paths } }: SentCall): EventView[] {
  if (!READERS.has(tool)) return [];
  const files = tool === "read_mcp_resource" ? [fileOfUri(uri)] : [include, paths].flat();
  return textViews("Read", "file_path", files);
}

/** An answer without a decision leaves Gemini CLI's own rules in force, also for the rewritten input. */
function encode({ action, reason, updatedInput, notice = null }: PresentedVerdict): Reply {
  if (action !== "allow") {
    // A person sees `systemMessage`; the model gets the `reason` of a deny.
    const shown = action === "ask" ? reason : notice;
    const said = shown === null ? "" : `,"systemMessage":${quoteJson(shown)}`;
    return { text: `{"decision":"${action}","reason":${quoteJson(reason)}${said}}\n`, effective: action };
  }
  if (updatedInput === null) return { text: "", effective: action };
  const text = `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":${updatedInput}}}\n`;
  return { text, effective: action };
}

/**
 * A tool of an MCP server is called `mcp_<server>_<tool>`, which doesn't show where the server's name ends; its context
 * does.
 */
function geminiCanonicalName(tool: string, context: unknown): string {
  if (typeof context === "object" && context !== null && "server_name" in context && "tool_name" in context) {
    const { server_name: server, tool_name: name } = context;
    if (typeof server === "string" && typeof name === "string") return `mcp__${server}__${name}`;
  }
  return canonicalOf(tool, GEMINI_TOOLS);
}

/** The failure that a result reports; undefined: the call didn't fail. */
function errorIn(response: unknown): ToolError | undefined {
  if (typeof response !== "object" || response === null || !("error" in response)) return undefined;
  const { error } = response;
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
  return errorOf(message ?? error);
}

/** The only path that Gemini CLI changes; it takes `dir_path` as it is. */
const FIELD = "file_path";
const ODD = /[%\0]|^@/gu;
const NUL_OR_AT = /\0|^@/gu;
const decodePath = decodeURIComponent;

/**
 * Gemini CLI doesn't take a path as it is: it drops NULs, drops a leading `@` if there is no such file, and replaces
 * `%2e` with a dot. Policies see each possible reading as a call of its own, so that they see the real file.
 */
function otherReadings({ tool, toolName, input }: SentCall): EventView[] {
  const path = input[FIELD];
  if (!isOdd(path)) return [];
  const aliases = toolName === tool ? [] : [tool];
  const whole = path.replaceAll("\0", "");
  const readings = new Set([whole, whole.replace(/^@[\\/]*/u, "")].flatMap((text) => [text, decoded(text)]));
  readings.delete(path);
  return [...readings].map((reading) => ({ toolName, aliases, input: { ...input, [FIELD]: reading } }));
}

/**
 * Accepts a rewritten input only if its path has one reading, since nobody would be asked about others: a path with
 * `%20` becomes what Gemini CLI would make of it. Null: the path may mean several files.
 */
function takeInput(text: string): string | null {
  if (takeObject(text) === null) return null;
  const input = parseJson(text) as Record<string, unknown>;
  const path: unknown = isOwnEnumerable(input, FIELD) ? getField(input, FIELD) : null;
  if (!isOdd(path)) return text;
  const reading = decoded(path);
  if (matchFrom(NUL_OR_AT, path, 0) !== null || matchFrom(NUL_OR_AT, reading, 0) !== null) return null;
  if (decoded(reading) !== reading) return null;
  input[FIELD] = reading;
  return toJsonText(input);
}

function isOdd(path: unknown): path is string {
  return typeof path === "string" && matchFrom(ODD, path, 0) !== null;
}

/** Gemini CLI takes a path as it is if a `%` in it doesn't begin a character. */
function decoded(path: string): string {
  try {
    return decodePath(path);
  } catch {
    return path;
  }
}

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;

const failureOf = (wire: Wire): unknown => errorIn(wire["tool_response"])?.message ?? wire["error"];

/**
 * The lifecycle events that Gemini CLI reports. It has one event for completed and failed calls, reports the model's answer
 * piece by piece, and reports a compaction whenever it looks whether one is due.
 */
export const geminiLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: {
    "session.start": { name: "SessionStart", ...MAY_INJECT, fields: { source: "source" } },
    "session.end": { name: "SessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "BeforeAgent", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
    "model.before": { name: "BeforeModel", ...MAY_HOLD, fields: {} },
    "tool.after": {
      name: "AfterTool",
      ...MAY_INJECT,
      fields: { ...TOOL, output: "tool_response" },
      isAnother: (wire) => failureOf(wire) !== undefined,
    },
    "tool.failure": {
      name: "AfterTool",
      ...REPORT_ONLY,
      fields: { ...TOOL, error: "error" },
      isAnother: (wire) => failureOf(wire) === undefined,
      unfold: (wire) => ({ ...wire, error: failureOf(wire) }),
    },
    "turn.stop": { name: "AfterAgent", ...MAY_HOLD, fields: { lastMessage: "prompt_response" } },
    "compact.before": { name: "PreCompress", ...REPORT_ONLY, fields: { trigger: "trigger" } },
    notify: { name: "Notification", ...REPORT_ONLY, fields: { message: "message", type: "notification_type" } },
  },
  others: ["AfterModel", "BeforeToolSelection"],
  canonicalTools: GEMINI_TOOLS,
  nameTool: (tool, wire) => geminiCanonicalName(tool, wire["mcp_context"]),
  encode: encodeLifecycle,
}));

/** Denies to hold an event of any kind, and says nothing to let it proceed. */
function encodeLifecycle({ powers: { name }, action, reason, context, notice }: PresentedLifecycleVerdict): Reply {
  let fields = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  if (action !== "allow") fields += `,"decision":"deny","reason":${quoteJson(reason)}`;
  else if (context !== null) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
