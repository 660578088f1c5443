import type { PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  CLAUDE_FORMATS,
  createLifecycleAdapter,
  fieldsOfContext,
  fieldsOfHold,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { sliceText } from "../../../hook-base/primordials.ts";
import { QWEN_TOOLS } from "./qwen-code-calls.ts";

/** The lifecycle events that Qwen Code reports, most of them as Claude Code does. */
export const qwenLifecycle = createLifecycleAdapter({
  formats: {
    ...CLAUDE_FORMATS,
    // Qwen Code also reports an empty prompt after each call.
    "prompt.submit": { ...CLAUDE_FORMATS["prompt.submit"], isAnother: ({ prompt }) => prompt === "" },
    "tool.failure": {
      name: "PostToolUseFailure",
      ...REPORT_ONLY,
      fields: { toolName: "tool_name", toolInput: "tool_input", error: "error" },
    },
    // Only agents whose own text has a place for it get what a hook says.
    "subagent.start": { ...CLAUDE_FORMATS["subagent.start"], ...REPORT_ONLY },
    "turn.stop": { ...CLAUDE_FORMATS["turn.stop"], shows: false },
    "compact.before": {
      name: "PreCompact",
      ...REPORT_ONLY,
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
    "InstructionsLoaded",
    "MessageDisplay",
    "PermissionDenied",
    "PostToolBatch",
    "SessionDelete",
    "StopFailure",
    "TodoCompleted",
    "TodoCreated",
    "UserPromptExpansion",
  ],
  canonicalTools: QWEN_TOOLS,
  encode,
});

/** Says nothing to let an event proceed. */
function encode({ powers: { name, injects }, action, reason, context }: PresentedLifecycleVerdict): Reply {
  const told = context !== null && injects ? fieldsOfContext(name, context) : "";
  const fields = action === "allow" ? told : fieldsOfHold(name, reason);
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
