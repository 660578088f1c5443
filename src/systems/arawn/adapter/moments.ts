import type { MomentSaying, Reply, Wire } from "../../../hot/adapter/adapter.ts";
import { createMoments, HOLDS, INJECTS, type MomentFormats, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { OWN_TOOLS } from "../../../policy/own-tools.ts";

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;

/** Plugins and settings use different names for the fields of a tool. */
function unfold({ tool, params, result, ...wire }: Wire): Wire {
  const told = { tool_name: tool, tool_input: params, tool_response: result };
  return { ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)), ...wire };
}

/** First what Arawn's ticket promises to every plugin, then what the newest generation also tells hooks in settings. */
const FORMATS: MomentFormats = {
  "session.start": { name: "SessionStart", ...INJECTS, fields: { source: "source", model: "model" } },
  "session.end": { name: "SessionEnd", ...WATCHED, fields: { reason: "reason" } },
  "tool.after": { name: "PostToolUse", ...INJECTS, fields: { ...TOOL, output: "tool_response" }, unfold },
  "turn.stop": { name: "Stop", ...HOLDS, injects: true, fields: { lastMessage: "response" } },

  "prompt.submit": { name: "UserPromptSubmit", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
  "tool.failure": { name: "PostToolUseFailure", ...WATCHED, fields: { ...TOOL, error: "error" }, unfold },
  "approval.before": { name: "PermissionRequest", ...HOLDS, fields: TOOL, unfold },
  "approval.after": { name: "PermissionDenied", ...WATCHED, fields: TOOL, unfold },
  "compact.before": { name: "PreCompact", ...HOLDS, injects: true, fields: { trigger: "trigger" } },
  "compact.after": { name: "PostCompact", ...INJECTS, fields: { trigger: "trigger", summary: "summary" } },
  "subagent.start": { name: "SubagentStart", ...INJECTS, fields: { type: "agent_type" } },
  "subagent.stop": { name: "SubagentStop", ...HOLDS, fields: { type: "agent_type", lastMessage: "response" } },
  notify: { name: "Notification", ...WATCHED, fields: { message: "message" } },
};

/** Only the newest generation says whether a turn was kept going; for the others drwn counts by itself. */
export const arawnMoments = createMoments({
  formats: FORMATS,
  others: [],
  canonicalTools: OWN_TOOLS.arawn,
  envelope: { event: "hook_event", session: "session_id", folder: ({ cwd }) => cwd },
  isContinued: ({ stop_hook_active: told }) => (typeof told === "boolean" ? told : null),
  encode,
});

/** The beginning of text that holds nothing: the launcher makes an exit code of any other. */
const TELLS = "+";

function encode({ at, action, reason, context, notice }: MomentSaying): Reply {
  if (action !== "allow" && at.holds) return { text: `${reason}\n`, effective: "deny" };
  const said = [context, notice].filter((text) => text !== null).join("\n");
  return { text: said === "" || !at.injects ? "" : `${TELLS}${said}\n`, effective: "allow" };
}
