import type { MomentSaying, Reply } from "../../../hot/adapter/adapter.ts";
import { CLAUDE_FORMATS, fieldOfNotice, fieldsOfContext, fieldsOfHold } from "../../../hot/adapter/claude-moments.ts";
import { createMoments, HOLDS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { claudeCanonicalName } from "./tools.ts";

/** The moments that Claude Code reports. Hooks can only watch those that no other agent has. */
export const claudeMoments = createMoments({
  formats: {
    ...CLAUDE_FORMATS,
    "tool.failure": {
      name: "PostToolUseFailure",
      ...WATCHED,
      fields: { toolName: "tool_name", toolInput: "tool_input", error: "error" },
    },
    "compact.before": {
      name: "PreCompact",
      ...HOLDS,
      fields: { trigger: "trigger", instructions: "custom_instructions" },
    },
    "compact.after": { name: "PostCompact", ...WATCHED, fields: { trigger: "trigger", summary: "compact_summary" } },
    notify: {
      name: "Notification",
      ...WATCHED,
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
function encode(saying: MomentSaying): Reply {
  const { at, action, reason, context } = saying;
  const { name } = at;
  let fields = fieldOfNotice(saying);
  if (action !== "allow") fields += fieldsOfHold(name, reason);
  else if (context !== null && at.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":true${fields}}\n`, effective: action };
}
