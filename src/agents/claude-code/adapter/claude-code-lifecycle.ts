import type { PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  CLAUDE_FORMATS,
  createLifecycleAdapter,
  fieldOfNotice,
  fieldsOfContext,
  fieldsOfHold,
  MAY_HOLD,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { claudeCanonicalName } from "./claude-code-calls.ts";

/** The lifecycle events that Claude Code reports. Hooks can only watch those that no other agent has. */
export const claudeLifecycle = createLifecycleAdapter({
  formats: {
    ...CLAUDE_FORMATS,
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
  },
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
  encode,
});

/** Says nothing to let an event proceed: an approval would skip what the user's own permissions ask about. */
function encode(saying: PresentedLifecycleVerdict): Reply {
  const { powers, action, reason, context } = saying;
  const { name } = powers;
  let fields = fieldOfNotice(saying);
  if (action !== "allow") fields += fieldsOfHold(name, reason);
  else if (context !== null && powers.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":true${fields}}\n`, effective: action };
}
