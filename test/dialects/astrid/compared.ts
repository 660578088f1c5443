import { type ComparedSystem, type Heard, PROCEEDS, type ProcessEnd, type Told, unlabelled } from "../compare.ts";

/** Astrid as its documentation has it. */
export const ASTRID: ComparedSystem = { runtime: "astrid", read, toClaude };

function read({ stdout }: ProcessEnd): Heard {
  const { action, reason = "", question = "", modifications } = JSON.parse(stdout);
  if (action === "block") return { ...PROCEEDS, ends: "held", reason: unlabelled(reason) };
  if (action === "ask") return { ...PROCEEDS, ends: "asked", reason: unlabelled(question) };
  return action === "continue_with" ? { ...PROCEEDS, changed: modifications } : PROCEEDS;
}

type Fields = Readonly<Record<string, unknown>>;

/** By Astrid's event, that of Claude Code and its fields. */
const EVENTS: Readonly<Record<string, (data: Fields) => Told>> = {
  pre_tool_call: (data) => ({ event: "PreToolUse", input: callOf(data) }),
  post_tool_call: (data) => ({ event: "PostToolUse", input: { ...callOf(data), tool_response: data["result"] } }),
  tool_error: (data) => ({ event: "PostToolUseFailure", input: { ...callOf(data), error: data["error"] } }),
  session_start: () => ({ event: "SessionStart", input: { source: "startup" } }),
  session_end: () => ({ event: "SessionEnd", input: { reason: "other" } }),
  user_prompt: ({ input }) => ({ event: "UserPromptSubmit", input: { prompt: input } }),
  pre_approval: (data) => ({ event: "PermissionRequest", input: callOf(data) }),
  pre_compact: ({ trigger }) => ({ event: "PreCompact", input: { trigger } }),
  post_compact: ({ summary }) => ({ event: "PostCompact", input: { trigger: "auto", compact_summary: summary } }),
  subagent_start: (data) => ({ event: "SubagentStart", input: { agent_type: data["subagent_type"] } }),
  subagent_stop: (data) => ({
    event: "SubagentStop",
    input: { agent_type: data["subagent_type"], last_assistant_message: data["result"], stop_hook_active: false },
  }),
  notification: ({ message }) => ({ event: "Notification", input: { message } }),
};

function callOf({ tool_name: tool, server_name: server, arguments: input }: Fields): Fields {
  const isBuiltIn = server === undefined || server === "builtin";
  const name = tool === "shell" || tool === "bash" ? "Bash" : tool;
  return { tool_name: isBuiltIn ? name : `mcp__${String(server)}__${String(tool)}`, tool_input: input };
}

function toClaude({ event, input }: Told): Told | undefined {
  const data = input["data"];
  return typeof data === "object" && data !== null ? EVENTS[event]?.(data as Fields) : undefined;
}
