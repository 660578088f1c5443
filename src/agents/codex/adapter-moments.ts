import { quoteJson } from "../../runtime/primordials.ts";
import type { MomentSaying, Reply } from "../adapter.ts";
import { createMoments } from "../adapter-moments.ts";
import { CANONICAL_TOOLS } from "./adapter-tools.ts";

const WATCHED = { holds: false, injects: false, transforms: false, asks: false } as const;
const INJECTS = { ...WATCHED, injects: true } as const;
const HOLDS = { ...WATCHED, holds: true } as const;

/** The moments that Codex tells of. */
export const codexMoments = createMoments({
  formats: {
    "session.start": { name: "SessionStart", ...INJECTS, fields: { source: "source", model: "model" } },
    "session.end": { name: "SessionEnd", ...WATCHED, fields: { reason: "reason" } },
    "prompt.submit": { name: "UserPromptSubmit", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
    "approval.before": {
      name: "PermissionRequest",
      ...HOLDS,
      fields: { toolName: "tool_name", toolInput: "tool_input" },
    },
    "tool.after": {
      name: "PostToolUse",
      ...INJECTS,
      fields: { toolName: "tool_name", toolInput: "tool_input", output: "tool_response" },
    },
    "turn.stop": { name: "Stop", ...HOLDS, fields: { lastMessage: "last_assistant_message" } },
    "subagent.start": { name: "SubagentStart", ...INJECTS, fields: { type: "agent_type", agentId: "agent_id" } },
    "subagent.stop": {
      name: "SubagentStop",
      ...HOLDS,
      fields: { type: "agent_type", agentId: "agent_id", lastMessage: "last_assistant_message" },
    },
    "compact.before": { name: "PreCompact", ...HOLDS, fields: { trigger: "trigger" } },
    "compact.after": { name: "PostCompact", ...WATCHED, fields: { trigger: "trigger" } },
  },
  others: ["Interrupt", "PostModelRequest", "PreModelRequest"],
  canonicalTools: CANONICAL_TOOLS,
  encode,
});

/** Codex takes an answer whole or not at all: of each event it knows its own fields and no others. */
function encode({ at: { name }, action, reason, context, notice }: MomentSaying): Reply {
  let fields = notice === null || isSilent(name) ? "" : `,"systemMessage":${quoteJson(notice)}`;
  if (action !== "allow") fields += held(name, reason);
  else if (context !== null) {
    fields += `,"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":${quoteJson(context)}}`;
  }
  return { text: fields === "" ? "" : `{"continue":${continues(name, action)}${fields}}\n`, effective: action };
}

/** The events whose answers Codex does not read. */
function isSilent(name: string): boolean {
  return name === "SessionEnd" || name === "Interrupt" || name === "PreModelRequest" || name === "PostModelRequest";
}

/** A compaction is held by stopping; everything else goes on by its own word. */
function continues(name: string, action: MomentSaying["action"]): string {
  return name === "PreCompact" && action !== "allow" ? "false" : "true";
}

function held(name: string, reason: string): string {
  if (name === "PreCompact") return `,"stopReason":${quoteJson(reason)}`;
  if (name === "PermissionRequest") {
    return `,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":${quoteJson(reason)}}}`;
  }
  return `,"decision":"block","reason":${quoteJson(reason)}`;
}
