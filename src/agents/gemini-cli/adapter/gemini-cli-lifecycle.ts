import type { PresentedLifecycleVerdict, Reply, Wire } from "../../../hook-base/adapter/adapter.ts";
import {
  createLifecycleAdapter,
  fieldsOfContext,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson, sliceText } from "../../../hook-base/primordials.ts";
import { errorIn, GEMINI_TOOLS, geminiCanonicalName } from "./gemini-cli-calls.ts";

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;

const failureOf = (wire: Wire): unknown => errorIn(wire["tool_response"])?.message ?? wire["error"];

/**
 * The lifecycle events that Gemini CLI reports. It has one event for completed and failed calls, reports the model's answer
 * piece by piece, and reports a compaction whenever it looks whether one is due.
 */
export const geminiLifecycle = createLifecycleAdapter({
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
  encode,
});

/** Denies to hold an event of any kind, and says nothing to let it proceed. */
function encode({ powers: { name }, action, reason, context, notice }: PresentedLifecycleVerdict): Reply {
  let fields = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  if (action !== "allow") fields += `,"decision":"deny","reason":${quoteJson(reason)}`;
  else if (context !== null) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
