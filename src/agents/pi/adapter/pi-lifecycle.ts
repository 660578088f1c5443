import {
  createLifecycleAdapter,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { tellPlugin } from "../../opencode/adapter/opencode-lifecycle.ts";
import { PI_TOOLS } from "./pi-calls.ts";

const CALL = { toolName: "toolName", toolInput: "input" } as const;

/** The lifecycle events that Pi reports to extensions, as drwn's extension sends them. */
export const piLifecycle = createLifecycleAdapter({
  formats: {
    "session.start": { name: "session_start", ...MAY_INJECT, fields: { source: "reason" } },
    "session.end": { name: "session_shutdown", ...REPORT_ONLY, fields: { reason: "reason" } },
    "prompt.submit": { name: "input", ...MAY_HOLD, injects: true, fields: { prompt: "text" } },
    "tool.after": { name: "tool_result", ...MAY_INJECT, fields: { ...CALL, output: "output" } },
    "tool.failure": { name: "tool_result isError", ...REPORT_ONLY, fields: { ...CALL, error: "error" } },
    "turn.stop": { name: "agent_before_settle", ...MAY_HOLD, fields: { lastMessage: "lastMessage" } },
    "compact.before": {
      name: "session_before_compact",
      ...MAY_HOLD,
      fields: { trigger: "trigger", instructions: "customInstructions" },
    },
    "compact.after": { name: "session_compact", ...REPORT_ONLY, fields: { trigger: "trigger" } },
  },
  others: [],
  canonicalTools: PI_TOOLS,
  encode: tellPlugin,
});
