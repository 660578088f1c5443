import type { MomentSaying, Reply } from "../../../hot/adapter/adapter.ts";
import { createMoments, HOLDS, INJECTS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { COPILOT_TOOLS, copilotMcpNames } from "./tools.ts";

const TOOL = { toolName: "toolName", toolInput: "toolArgs" } as const;
const SUBAGENT = { type: "agentName", agentId: "agentId" } as const;

/** The moments that Copilot CLI reports. Its events don't say their kind. */
export const copilotMoments = createMoments({
  formats: {
    "session.start": { name: "sessionStart", ...INJECTS, fields: { source: "source" } },
    "session.end": { name: "sessionEnd", ...WATCHED, fields: { reason: "reason" } },
    "prompt.submit": { name: "userPromptSubmitted", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "permissionRequest",
      ...HOLDS,
      fields: { toolName: "toolName", toolInput: "toolInput" },
    },
    "tool.after": { name: "postToolUse", ...INJECTS, fields: { ...TOOL, output: "toolResult" } },
    "tool.failure": { name: "postToolUseFailure", ...WATCHED, fields: { ...TOOL, error: "error" } },
    "turn.stop": {
      name: "agentStop",
      ...HOLDS,
      fields: {},
      // Copilot CLI reports the end of a subagent twice: with this event, and with the subagent's own. An event that
      // names no subagent is the end of the turn.
      isAnother: ({ agentId }) => typeof agentId === "string" && agentId !== "",
    },
    "subagent.start": { name: "subagentStart", ...INJECTS, fields: SUBAGENT },
    "subagent.stop": { name: "subagentStop", ...HOLDS, fields: { ...SUBAGENT, lastMessage: "response" } },
    "compact.before": {
      name: "preCompact",
      ...WATCHED,
      fields: { trigger: "trigger", instructions: "customInstructions" },
    },
    notify: {
      name: "notification",
      ...WATCHED,
      fields: { message: "message", title: "title", type: "notification_type" },
    },
  },
  others: ["errorOccurred", "userPromptTransformed"],
  canonicalTools: COPILOT_TOOLS,
  otherNames: copilotMcpNames,
  envelope: { session: "sessionId", folder: ({ cwd }) => cwd },
  // Copilot CLI doesn't say this about a subagent, which would go on for ever.
  isContinued: (wire, event) => (event === "turn.stop" ? wire["stop_hook_active"] === true : null),
  encode,
});

/** Copilot CLI has no field for a message to a person. */
function encode({ at: { name }, action, reason, context }: MomentSaying): Reply {
  if (action !== "allow") {
    const said =
      name === "permissionRequest"
        ? `"behavior":"deny","message":${quoteJson(reason)}`
        : `"decision":"block","reason":${quoteJson(reason)}`;
    return { text: `{${said}}\n`, effective: action };
  }
  return { text: context === null ? "" : `{"additionalContext":${quoteJson(context)}}\n`, effective: action };
}
