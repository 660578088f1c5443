import { letsProceed, type PolytokenEvent } from "../../../src/dialects/polytoken/words/events.ts";
import { POLYTOKEN_TOOLS } from "../../../src/policy/polytoken-names.ts";
import { type ComparedSystem, type Heard, PROCEEDS, type ProcessEnd, type Told, unlabelled } from "../compare.ts";

/** Polytoken as its documentation has it. */
export const POLYTOKEN: ComparedSystem = { runtime: "polytoken", read, toClaude };

const TEXTS = ["additional_context", "prepend_to_prompt", "append_to_output"];

function read({ stdout }: ProcessEnd, { event }: Told): Heard {
  const outcome = JSON.parse(stdout);
  const said = (fields: readonly string[]): string =>
    [...new Set(fields.flatMap((field) => outcome[field]?.trim() || []))].join("\n");
  if (letsProceed(event as PolytokenEvent, outcome)) return { ...PROCEEDS, text: unlabelled(said(TEXTS)) };
  return { ...PROCEEDS, ends: "held", reason: unlabelled(said(["reason", "stdout", "stderr", "message"])) };
}

type Fields = Readonly<Record<string, unknown>>;

/** By Polytoken's event, that of Claude Code and its fields. */
const EVENTS: Readonly<Record<string, (input: Fields) => Told>> = {
  session_start: () => ({ event: "SessionStart", input: { source: "startup" } }),
  pre_user_prompt: ({ prompt }) => ({ event: "UserPromptSubmit", input: { prompt } }),
  pre_tool_use: (input) => ({ event: "PreToolUse", input: callOf(input) }),
  post_tool_use: (input) => ({ event: "PostToolUse", input: { ...callOf(input), tool_response: input["output"] } }),
  post_tool_use_failure: (input) => ({
    event: "PostToolUseFailure",
    input: { ...callOf(input), error: input["error"] },
  }),
  stop: ({ response }) => ({ event: "Stop", input: { stop_hook_active: false, last_assistant_message: response } }),
  pre_compaction: ({ trigger }) => ({ event: "PreCompact", input: { trigger } }),
  post_compaction: ({ summary }) => ({ event: "PostCompact", input: { trigger: "auto", compact_summary: summary } }),
  notification: ({ message }) => ({ event: "Notification", input: { message } }),
  subagent_start: ({ subagent_type }) => ({ event: "SubagentStart", input: { agent_type: subagent_type } }),
  subagent_stop: ({ subagent_type }) => ({
    event: "SubagentStop",
    input: { agent_type: subagent_type, stop_hook_active: false },
  }),
};

function callOf({ tool_name: tool, input }: Fields): Fields {
  return { tool_name: POLYTOKEN_TOOLS[String(tool)] ?? tool, tool_input: input };
}

function toClaude({ event, input: { session_id, ...input } }: Told): Told | undefined {
  const told = EVENTS[event]?.(input);
  return told && { ...told, input: { ...(session_id === undefined ? {} : { session_id }), ...told.input } };
}
