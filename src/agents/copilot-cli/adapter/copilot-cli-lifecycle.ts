import type { PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  createLifecycleAdapter,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { COPILOT_TOOLS, copilotMcpNames } from "./copilot-cli-calls.ts";

const TOOL = { toolName: "toolName", toolInput: "toolArgs" } as const;
const SUBAGENT = { type: "agentName", agentId: "agentId" } as const;

/** The lifecycle events that Copilot CLI reports. Its events don't say their kind. */
export const copilotLifecycle = createLifecycleAdapter({
  formats: {
    "session.start": { name: "sessionStart", ...MAY_INJECT, fields: { source: "source" } },
    "session.end": { name: "sessionEnd", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "userPromptSubmitted", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "permissionRequest",
      ...MAY_HOLD,
      fields: { toolName: "toolName", toolInput: "toolInput" },
    },
    "tool.after": { name: "postToolUse", ...MAY_INJECT, fields: { ...TOOL, output: "toolResult" } },
    "tool.failure": { name: "postToolUseFailure", ...REPORT_ONLY, fields: { ...TOOL, error: "error" } },
    "turn.stop": {
      name: "agentStop",
      ...MAY_HOLD,
      fields: {},
      // Copilot CLI reports the end of a subagent twice: with this event, and with the subagent's own. An event that
      // names no subagent is the end of the turn.
      isAnother: ({ agentId }) => typeof agentId === "string" && agentId !== "",
    },
    "subagent.start": { name: "subagentStart", ...MAY_INJECT, fields: SUBAGENT },
    "subagent.stop": { name: "subagentStop", ...MAY_HOLD, fields: { ...SUBAGENT, lastMessage: "response" } },
    "compact.before": {
      name: "preCompact",
      ...REPORT_ONLY,
      fields: { trigger: "trigger", instructions: "customInstructions" },
    },
    notify: {
      name: "notification",
      ...REPORT_ONLY,
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
function encode({ powers: { name }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") {
    const said =
      name === "permissionRequest"
        ? `"behavior":"deny","message":${quoteJson(reason)}`
        : `"decision":"block","reason":${quoteJson(reason)}`;
    return { text: `{${said}}\n`, effective: action };
  }
  return { text: context === null ? "" : `{"additionalContext":${quoteJson(context)}}\n`, effective: action };
}
