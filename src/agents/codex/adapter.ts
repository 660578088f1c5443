import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, EventView, Reply, Saying, Wire } from "../adapter.ts";
import { codexMoments } from "./adapter-moments.ts";
import { viewsOfPatch } from "./adapter-patch.ts";
import { CANONICAL_TOOLS } from "./adapter-tools.ts";

const PHASES: Readonly<Record<string, Phase>> = { PreToolUse: "pre-tool", PostToolUse: "post-tool" };

const OPENING_BRACE = 0x7b;

/** Codex takes an answer whole or not at all, and a call whose answer it does not take is made. */
export const codex: Adapter = {
  runtime: "codex",
  title: "Codex",
  can: {
    deny: true,
    ask: false,
    rewrite: true,
    context: true,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": false,
  },
  canonicalTools: CANONICAL_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
  moments: codexMoments,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined && phaseOf(hook_event_name) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof tool_input !== "object" || tool_input === null || Array.isArray(tool_input)) {
    throw new BrokenEvent("has a tool_input that is no object");
  }
  const views = viewsOf(tool_name, tool_input, typeof cwd === "string" ? cwd : "/");
  const toolName = Object.hasOwn(CANONICAL_TOOLS, tool_name) ? String(CANONICAL_TOOLS[tool_name]) : tool_name;
  return {
    toolName,
    aliases: toolName === tool_name ? [] : [tool_name],
    input: tool_input,
    views,
    rest: {
      ...(tool_response === undefined ? {} : { output: tool_response }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      // A policy that is shown a part of a patch can look at the whole of it.
      metadata: views.length === 0 && toolName === tool_name ? others : { ...others, tool_name, tool_input },
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

/** The files of a patch. Codex also takes a patch that is typed into the shell. */
function viewsOf(tool: string, input: object, cwd: string): EventView[] {
  const text = "command" in input ? input.command : "input" in input ? input.input : undefined;
  const patch = Array.isArray(text) ? text.join("\n") : text;
  if (tool === "apply_patch") {
    const views = typeof patch === "string" ? viewsOfPatch(patch, cwd) : [];
    if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
    return views;
  }
  return typeof patch === "string" && patch.includes("*** Begin Patch") ? viewsOfPatch(patch, cwd) : [];
}

/** `allow` is said exactly with a rewritten input: alone it is refused, and without it the rewrite is. */
function encode({ action, reason, context, updatedInput }: Saying): Reply {
  let fields = "";
  if (action !== "allow") fields += `,"permissionDecision":"deny","permissionDecisionReason":${quoteJson(reason)}`;
  else if (updatedInput !== null) fields += `,"permissionDecision":"allow","updatedInput":${updatedInput}`;
  if (context !== null) fields += `,"additionalContext":${quoteJson(context)}`;
  const text = fields === "" ? "" : `{"hookSpecificOutput":{"hookEventName":"PreToolUse"${fields}}}\n`;
  return { text, effective: action === "allow" ? "allow" : "deny" };
}
