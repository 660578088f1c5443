import type {
  DecodedLifecycleEvent,
  LifecycleAdapter,
  PresentedLifecycleVerdict,
  Reply,
  Wire,
} from "../../../hook-base/adapter/adapter.ts";
import {
  decodeInput,
  type LifecycleEventFormat,
  MAY_HOLD,
  MAY_INJECT,
  nameFields,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { ofAnotherKind } from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { BrokenEvent } from "../../../hook-base/read-input.ts";
import { isCanonicalEvent, type LifecycleEvent, REQUIRED_INPUTS } from "../../../policy/lifecycle-events.ts";
import { POLYTOKEN_FIELDS } from "../../../policy/polytoken-names.ts";
import { polytokenCanonicalName } from "./polytoken-calls.ts";

/** The lifecycle events that Polytoken reports. */
const FORMATS: { readonly [E in LifecycleEvent]?: LifecycleEventFormat } = {
  "session.start": { name: "session_start", ...MAY_INJECT, fields: POLYTOKEN_FIELDS["session.start"] },
  "prompt.submit": { name: "pre_user_prompt", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["prompt.submit"] },
  "model.before": { name: "pre_model_turn", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["model.before"] },
  "model.after": { name: "post_model_turn", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["model.after"] },
  "tool.after": { name: "post_tool_use", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["tool.after"] },
  "tool.failure": { name: "post_tool_use_failure", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["tool.failure"] },
  "turn.stop": { name: "stop", ...MAY_HOLD, fields: POLYTOKEN_FIELDS["turn.stop"] },
  "compact.before": { name: "pre_compaction", ...MAY_HOLD, injects: true, fields: POLYTOKEN_FIELDS["compact.before"] },
  "compact.after": { name: "post_compaction", ...MAY_INJECT, fields: POLYTOKEN_FIELDS["compact.after"] },
  "subagent.start": { name: "subagent_start", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["subagent.start"] },
  "subagent.stop": { name: "subagent_stop", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["subagent.stop"] },
  notify: { name: "notification", ...MAY_HOLD, fields: POLYTOKEN_FIELDS.notify },
  "facet.switch": { name: "facet_switch", ...REPORT_ONLY, fields: POLYTOKEN_FIELDS["facet.switch"] },
};

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

/** Fields that Polytoken doesn't promise to send. A hook can decide without them. */
const UNPROMISED = ["error", "facet", "message"];

export const polytokenLifecycle: LifecycleAdapter = {
  names: (Object.keys(FORMATS) as LifecycleEvent[]).map((event) => [event, FORMATS[event]?.name ?? ""] as const),
  newTurn: "prompt.submit",
  powersAt: (event) => (Object.hasOwn(FORMATS, event) ? FORMATS[event] : undefined),
  decode,
  encode,
  toWire: (event, { isContinued: _, ...input }) => {
    const { name = event, fields = {} } = FORMATS[event] ?? {};
    return { event: name, ...nameFields(input, fields) };
  },
};

function decode(wire: Wire, event: LifecycleEvent): DecodedLifecycleEvent {
  const format = Object.hasOwn(FORMATS, event) ? FORMATS[event] : undefined;
  if (format === undefined) throw new BrokenEvent("isn't one that this agent has");
  const { event: named, cwd, session_id, ...others } = wire;
  if (named !== format.name) throw ofAnotherKind(event);
  const input = inputOf(others, event, format);
  const nameOf = (field: string): string => format.fields[field] ?? field;
  const decoded = decodeInput(input, { event, nameOf, otherName: format.name });
  const subject = decoded.subject === input["toolName"] ? polytokenCanonicalName(decoded.subject) : decoded.subject;
  const taken = Object.values(format.fields);
  return {
    input,
    subject,
    aliases: subject === decoded.subject ? [] : [decoded.subject],
    // Polytoken doesn't say; drwn itself counts how often a turn is kept going.
    isContinued: null,
    rest: {
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: Object.fromEntries(Object.entries(others).filter(([name]) => !taken.includes(name))),
    },
  };
}

function inputOf(wire: Wire, event: LifecycleEvent, { fields }: LifecycleEventFormat): Record<string, unknown> {
  const input: Record<string, unknown> =
    event === "turn.stop" || event === "subagent.stop" ? { isContinued: false } : {};
  for (const [field, name] of Object.entries(fields)) {
    if (Object.hasOwn(wire, name) && wire[name] !== null) input[field] = wire[name];
  }
  for (const field of (isCanonicalEvent(event) ? REQUIRED_INPUTS[event] : undefined) ?? []) {
    if (UNPROMISED.includes(field) && typeof input[field] !== "string") input[field] = "";
  }
  return input;
}

/** Silence lets an event happen. */
function encode({ powers: { name }, action, reason, context, isFailure }: PresentedLifecycleVerdict): Reply {
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
