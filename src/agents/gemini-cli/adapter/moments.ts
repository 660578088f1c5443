import type { MomentSaying, Reply, Wire } from "../../../hot/adapter/adapter.ts";
import { fieldsOfContext } from "../../../hot/adapter/claude-moments.ts";
import { createMoments, HOLDS, INJECTS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { quoteJson, sliceText } from "../../../hot/primordials.ts";
import { errorIn, GEMINI_TOOLS, geminiCanonicalName } from "./tools.ts";

const TOOL = { toolName: "tool_name", toolInput: "tool_input" } as const;

const failureOf = (wire: Wire): unknown => errorIn(wire["tool_response"])?.message ?? wire["error"];

/**
 * The moments that Gemini CLI reports. It has one event for completed and failed calls, reports the model's answer
 * piece by piece, and reports a compaction whenever it looks whether one is due.
 */
export const geminiMoments = createMoments({
  formats: {
    "session.start": { name: "SessionStart", ...INJECTS, fields: { source: "source" } },
    "session.end": { name: "SessionEnd", ...WATCHED, fields: { reason: "reason" } },
    "prompt.submit": { name: "BeforeAgent", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
    "model.before": { name: "BeforeModel", ...HOLDS, fields: {} },
    "tool.after": {
      name: "AfterTool",
      ...INJECTS,
      fields: { ...TOOL, output: "tool_response" },
      isAnother: (wire) => failureOf(wire) !== undefined,
    },
    "tool.failure": {
      name: "AfterTool",
      ...WATCHED,
      fields: { ...TOOL, error: "error" },
      isAnother: (wire) => failureOf(wire) === undefined,
      unfold: (wire) => ({ ...wire, error: failureOf(wire) }),
    },
    "turn.stop": { name: "AfterAgent", ...HOLDS, fields: { lastMessage: "prompt_response" } },
    "compact.before": { name: "PreCompress", ...WATCHED, fields: { trigger: "trigger" } },
    notify: { name: "Notification", ...WATCHED, fields: { message: "message", type: "notification_type" } },
  },
  others: ["AfterModel", "BeforeToolSelection"],
  canonicalTools: GEMINI_TOOLS,
  nameTool: (tool, wire) => geminiCanonicalName(tool, wire["mcp_context"]),
  encode,
});

/** Denies to hold an event of any kind, and says nothing to let it proceed. */
function encode({ at: { name }, action, reason, context, notice }: MomentSaying): Reply {
  let fields = notice === null ? "" : `,"systemMessage":${quoteJson(notice)}`;
  if (action !== "allow") fields += `,"decision":"deny","reason":${quoteJson(reason)}`;
  else if (context !== null) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{${sliceText(fields, 1)}}\n`, effective: action };
}
