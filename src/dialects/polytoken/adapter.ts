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
import { errorOf } from "../../hook-base/adapter/tool-call.ts";
import { nodeProcess, quoteJson } from "../../hook-base/primordials.ts";
import { POLYTOKEN_FIELDS, POLYTOKEN_TOOLS } from "../../policy/polytoken-names.ts";

/** Polytoken's hooks say yes or no: an outcome that lets a tool run has no fields. */
export const polytoken = callAdapter({
  runtime: "polytoken",
  title: "Polytoken",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: POLYTOKEN_TOOLS,
  phases: { pre_tool_use: "pre-tool", post_tool_use: "post-tool", post_tool_use_failure: "post-tool" },
  namesEvents: true,
  fields: {
    event: "event",
    tool: "tool_name",
    input: "input",
    output: "output",
    error: "error",
    cwd: "cwd",
    session: "session_id",
  },
  canonicalName: polytokenCanonicalName,
  errorIn: ({ event, error }) => (event === "post_tool_use_failure" ? errorOf(error ?? "the tool failed") : undefined),
  // Its events name no folder; its environment does.
  folderIn: ({ cwd }) => cwd ?? (nodeProcess.env["POLYTOKEN_PROJECT_DIR"] || undefined),
  encode,
  encodeCanary: (text) => `{"outcome":"deny","reason":${quoteJson(text)}}\n`,
  takeInput: (text) => text,
});

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  return { text: `{"outcome":"deny","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}

/** Tools that edit files are called `file_edit_` and their way to do it. */
function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}

/** Adds a field that Polytoken doesn't promise to send. A hook can decide without it. */
const orEmpty =
  (field: string) =>
  (wire: Wire): Wire =>
    typeof wire[field] === "string" ? wire : { ...wire, [field]: "" };

/** The lifecycle events that Polytoken reports. */
const formats = (): LifecycleEventFormats => ({
  "session.start": { name: "session_start", ...MAY_INJECT, fields: POLYTOKEN_FIELDS["session.start"] },
  "prompt.submit": { name: "pre_user_prompt", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["prompt.submit"] },
  "model.before": { name: "pre_model_turn", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["model.before"] },
  "model.after": { name: "post_model_turn", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["model.after"] },
  "tool.after": { name: "post_tool_use", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["tool.after"] },
  "tool.failure": {
    name: "post_tool_use_failure",
    ...REPORT_ONLY,
    fields: POLYTOKEN_FIELDS["tool.failure"],
    unfold: orEmpty("error"),
  },
  "turn.stop": { name: "stop", ...MAY_HOLD, fields: POLYTOKEN_FIELDS["turn.stop"] },
  "compact.before": { name: "pre_compaction", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["compact.before"] },
  "compact.after": { name: "post_compaction", ...MAY_INJECT, fields: POLYTOKEN_FIELDS["compact.after"] },
  "subagent.start": { name: "subagent_start", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["subagent.start"] },
  "subagent.stop": { name: "subagent_stop", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["subagent.stop"] },
  notify: { name: "notification", ...MAY_HOLD, fields: POLYTOKEN_FIELDS.notify, unfold: orEmpty("message") },
  "facet.switch": {
    name: "facet_switch",
    ...REPORT_ONLY,
    fields: POLYTOKEN_FIELDS["facet.switch"],
    unfold: orEmpty("facet"),
  },
});

/**
 * By event: the outcome that holds it, the outcome that lets it happen, and that one's field for text for the model.
 */
const OUTCOMES: Readonly<Record<string, { holds?: string; proceeds: string; text?: string; isRepeated?: true }>> = {
  session_start: { proceeds: "allow", text: "additional_context" },
  pre_user_prompt: { holds: "reject", proceeds: "accept", text: "additional_context" },
  // Each retry of a broken hook would end the same way, so its failure is an error, which ends the turn.
  pre_model_turn: { holds: "retry", proceeds: "proceed", text: "additional_context", isRepeated: true },
  stop: { holds: "continue", proceeds: "stop" },
  pre_compaction: { holds: "cancel", proceeds: "allow", text: "prepend_to_prompt" },
  post_compaction: { proceeds: "allow", text: "append_to_output" },
  notification: { holds: "suppress", proceeds: "allow" },
};

export const polytokenLifecycle = /* @__PURE__ */ createLifecycleAdapter(() => ({
  formats: formats(),
  others: [],
  canonicalTools: POLYTOKEN_TOOLS,
  envelope: { event: "event", namesEvents: true, session: "session_id", folder: ({ cwd }) => cwd },
  nameTool: polytokenCanonicalName,
  // Polytoken doesn't say; drwn itself counts how often a turn is kept going.
  isContinued: () => null,
  newTurn: "prompt.submit",
  encode: encodeLifecycle,
}));

/** Silence lets an event happen. */
function encodeLifecycle({ powers: { name }, action, reason, context, isFailure }: PresentedLifecycleVerdict): Reply {
  const { holds, proceeds = "", text, isRepeated = false } = OUTCOMES[name] ?? {};
  if (action !== "allow" && isFailure && isRepeated) {
    return { text: `{"outcome":"error","message":${quoteJson(reason)}}\n`, effective: "deny" };
  }
  if (action !== "allow" && holds !== undefined) {
    return { text: `{"outcome":"${holds}","reason":${quoteJson(reason)}}\n`, effective: "deny" };
  }
  if (context === null || text === undefined) return { text: "", effective: "allow" };
  return { text: `{"outcome":"${proceeds}","${text}":${quoteJson(context)}}\n`, effective: "allow" };
}
