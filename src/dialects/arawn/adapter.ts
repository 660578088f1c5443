import {
  ableTo,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../hook-base/adapter/adapter.ts";
import { callAdapter } from "../../hook-base/adapter/call-adapter.ts";
import {
  createLifecycleAdapter,
  type LifecycleEventFormats,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../hook-base/adapter/lifecycle-format.ts";
import { NATIVE_TOOLS } from "../../policy/dialect-names.ts";

/**
 * Arawn's hooks say no with their exit code; the launcher makes an exit code of this text.
 */
export const arawn = callAdapter({
  runtime: "arawn",
  title: "Arawn",
  can: ableTo("deny", "after-call"),
  canonicalTools: NATIVE_TOOLS.arawn,
  phases: { PreToolUse: "pre-tool", PostToolUse: "post-tool" },
  // A plugin's hook gets `tool` and `params`; a hook in the newest settings gets `tool_name` and `tool_input`.
  fields: {
    event: "hook_event",
    tool: ["tool", "tool_name"],
    input: ["params", "tool_input"],
    output: ["result", "tool_response"],
    cwd: "cwd",
    session: "session_id",
  },
  encode,
  encodeCanary: (text) => `${text}\n`,
  takeInput: (text) => text,
});

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  // Without a text nobody would block the call.
  return { text: `${reason.trim() === "" ? "a policy of this project blocks the call" : reason}\n`, effective: "deny" };
}

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;

/** Plugins and settings use different names for the fields of a tool. */
function unfold({ tool, params, result, ...wire }: Wire): Wire {
  const reported = { tool_name: tool, tool_input: params, tool_response: result };
  return { ...Object.fromEntries(Object.entries(reported).filter(([, value]) => value !== undefined)), ...wire };
}

/** First what Arawn's ticket promises to every plugin, then what the newest generation also tells hooks in settings. */
const formats = (): LifecycleEventFormats => ({
  "session.start": { name: "SessionStart", ...MAY_INJECT, fields: { source: "source", model: "model" } },
  "session.end": { name: "SessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
  "tool.after": { name: "PostToolUse", ...MAY_INJECT, fields: { ...TOOL, output: "tool_response" }, unfold },
  "turn.stop": { name: "Stop", ...MAY_HOLD, injects: true, fields: { lastMessage: "response" } },

  "prompt.submit": { name: "UserPromptSubmit", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
  "tool.failure": { name: "PostToolUseFailure", ...REPORT_ONLY, fields: { ...TOOL, error: "error" }, unfold },
  "approval.before": { name: "PermissionRequest", ...MAY_HOLD, fields: TOOL, unfold },
  "approval.after": { name: "PermissionDenied", ...REPORT_ONLY, fields: TOOL, unfold },
  "compact.before": { name: "PreCompact", ...MAY_HOLD, injects: true, fields: { trigger: "trigger" } },
  "compact.after": { name: "PostCompact", ...MAY_INJECT, fields: { trigger: "trigger", summary: "summary" } },
  "subagent.start": { name: "SubagentStart", ...MAY_INJECT, fields: { type: "agent_type" } },
  "subagent.stop": { name: "SubagentStop", ...MAY_HOLD, fields: { type: "agent_type", lastMessage: "response" } },
  notify: { name: "Notification", ...REPORT_ONLY, fields: { message: "message" } },
});

/** Only the newest generation says whether a turn was kept going; for the others drwn counts by itself. */
export const arawnLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: formats(),
  others: [],
  canonicalTools: NATIVE_TOOLS.arawn,
  envelope: { event: "hook_event", session: "session_id", folder: ({ cwd }) => cwd },
  isContinued: ({ stop_hook_active: reported }) => (typeof reported === "boolean" ? reported : null),
  encode: encodeLifecycle,
}));

/** The beginning of text that holds nothing: the launcher makes an exit code of any other. */
const TELLS = "+";

function encodeLifecycle({ powers, action, reason, context, notice }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow" && powers.holds) return { text: `${reason}\n`, effective: "deny" };
  const said = [context, notice].filter((text) => text !== null).join("\n");
  return { text: said === "" || !powers.injects ? "" : `${TELLS}${said}\n`, effective: "allow" };
}
