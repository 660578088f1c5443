import type { Phase } from "../../policy/event.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";

const CANONICAL: Readonly<Record<string, string>> = {
  file_edit: "Edit",
  file_read: "Read",
  file_write: "Write",
  shell: "Bash",
  web_fetch: "WebFetch",
};

/** Arawn's hooks say no by their exit code; whoever starts the launcher for them makes one of this text. */
export const arawn: Adapter = {
  runtime: "arawn",
  title: "Arawn",
  can: {
    deny: true,
    ask: false,
    rewrite: false,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": false,
  },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `${text}\n`,
  acceptsInput: () => true,
};

/** A plugin's hook is told `tool` and `params`, one of the newest settings `tool_name` and `tool_input`. */
function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { tool, params, result, hook_event, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event !== undefined && hook_event !== EVENTS[phase]) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  const name = tool ?? tool_name;
  const input = params ?? tool_input;
  if (typeof name !== "string" || name === "") throw new BrokenEvent("has no name of a tool");
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new BrokenEvent("has params that are no object");
  }
  const toolName = Object.hasOwn(CANONICAL, name) ? String(CANONICAL[name]) : name;
  const output = result ?? tool_response;
  return {
    toolName,
    aliases: toolName === name ? [] : [name],
    input,
    views: [],
    rest: {
      ...(output === undefined ? {} : { output }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: toolName === name ? others : { ...others, tool_name: name },
    },
  };
}

const EVENTS: Readonly<Record<Phase, string>> = { "pre-tool": "PreToolUse", "post-tool": "PostToolUse" };

function encode({ action, reason }: Saying): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  // Without a text nobody would make a block of it.
  return { text: `${reason.trim() === "" ? "a policy of this project blocks the call" : reason}\n`, effective: "deny" };
}
