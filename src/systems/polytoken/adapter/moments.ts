import type { DecodedMoment, MomentSaying, Moments, Reply, Wire } from "../../../hot/adapter/adapter.ts";
import {
  decodeInput,
  HOLDS,
  INJECTS,
  type MomentFormat,
  nameFields,
  WATCHED,
} from "../../../hot/adapter/moment-format.ts";
import { ofAnotherKind } from "../../../hot/adapter/tool-call.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { BrokenEvent } from "../../../hot/read-input.ts";
import { REQUIRED_INPUTS } from "../../../policy/hook-inputs.ts";
import { isCanonicalEvent, type LifecycleEvent } from "../../../policy/taxonomy.ts";
import { polytokenCanonicalName } from "./tools.ts";

const TOOL = { toolName: "tool_name", toolInput: "input" } as const;

/** The moments that Polytoken tells of. */
const FORMATS: { readonly [E in LifecycleEvent]?: MomentFormat } = {
  "session.start": { name: "session_start", ...INJECTS, fields: { source: "source", model: "model" } },
  "prompt.submit": { name: "pre_user_prompt", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
  "model.before": { name: "pre_model_turn", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
  "model.after": { name: "post_model_turn", ...WATCHED, fields: { response: "response" } },
  "tool.after": { name: "post_tool_use", ...WATCHED, fields: { ...TOOL, output: "output" } },
  "tool.failure": { name: "post_tool_use_failure", ...WATCHED, fields: { ...TOOL, error: "error" } },
  "turn.stop": { name: "stop", ...HOLDS, fields: { lastMessage: "response" } },
  "compact.before": { name: "pre_compaction", ...HOLDS, injects: true, fields: { trigger: "trigger" } },
  "compact.after": { name: "post_compaction", ...INJECTS, fields: { summary: "summary" } },
  "subagent.start": { name: "subagent_start", ...WATCHED, fields: { type: "subagent_type" } },
  "subagent.stop": { name: "subagent_stop", ...WATCHED, fields: { type: "subagent_type" } },
  notify: { name: "notification", ...HOLDS, fields: { message: "message" } },
  "facet.switch": { name: "facet_switch", ...WATCHED, fields: { facet: "facet" } },
};

/** By event: the outcome that holds it, the one that lets it happen, and the field of that one for the model's text. */
const OUTCOMES: Readonly<Record<string, { holds?: string; proceeds: string; text?: string }>> = {
  session_start: { proceeds: "allow", text: "additional_context" },
  pre_user_prompt: { holds: "reject", proceeds: "accept", text: "additional_context" },
  pre_model_turn: { holds: "retry", proceeds: "proceed", text: "additional_context" },
  stop: { holds: "continue", proceeds: "stop" },
  pre_compaction: { holds: "cancel", proceeds: "allow", text: "prepend_to_prompt" },
  post_compaction: { proceeds: "allow", text: "append_to_output" },
  notification: { holds: "suppress", proceeds: "allow" },
};

/** What Polytoken does not promise to send: a hook that decides without it is not kept from it. */
const UNPROMISED = ["error", "facet", "message"];

export const polytokenMoments: Moments = {
  names: (Object.keys(FORMATS) as LifecycleEvent[]).map((event) => [event, FORMATS[event]?.name ?? ""] as const),
  powersAt: (event) => (Object.hasOwn(FORMATS, event) ? FORMATS[event] : undefined),
  decode,
  encode,
  toWire: (event, { isContinued: _, ...input }) => {
    const { name = event, fields = {} } = FORMATS[event] ?? {};
    return { event: name, ...nameFields(input, fields) };
  },
};

function decode(wire: Wire, event: LifecycleEvent): DecodedMoment {
  const format = Object.hasOwn(FORMATS, event) ? FORMATS[event] : undefined;
  if (format === undefined) throw new BrokenEvent("is none that this agent has");
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
    // Polytoken does not say so; drwn itself counts how often a turn is kept going.
    isContinued: null,
    rest: {
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: Object.fromEntries(Object.entries(others).filter(([name]) => !taken.includes(name))),
    },
  };
}

function inputOf(wire: Wire, event: LifecycleEvent, { fields }: MomentFormat): Record<string, unknown> {
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

/** Silence is what lets an event happen. */
function encode({ at: { name }, action, reason, context }: MomentSaying): Reply {
  const { holds, proceeds = "", text } = OUTCOMES[name] ?? {};
  if (action !== "allow" && holds !== undefined) {
    return { text: `{"outcome":"${holds}","reason":${quoteJson(reason)}}\n`, effective: "deny" };
  }
  if (context === null || text === undefined) return { text: "", effective: "allow" };
  return { text: `{"outcome":"${proceeds}","${text}":${quoteJson(context)}}\n`, effective: "allow" };
}
