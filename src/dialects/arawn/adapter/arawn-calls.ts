import { ableTo, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { callAdapter } from "../../../hook-base/adapter/call-adapter.ts";
import { NATIVE_TOOLS } from "../../../policy/dialect-names.ts";

/**
 * Arawn's hooks say no with their exit code; the launcher makes an exit code of this text.
 */
export const arawn = callAdapter({
  runtime: "arawn",
  title: "Arawn",
  can: ableTo("deny", "after-call"),
  canonicalTools: NATIVE_TOOLS.arawn,
  phases: { PreToolUse: "pre-tool", PostToolUse: "post-tool" },
  // A plugin's hook gets `tool` and `params`; a hook in the newest settings gets `tool_name` and `tool_input`.
  fields: {
    event: "hook_event",
    tool: ["tool", "tool_name"],
    input: ["params", "tool_input"],
    output: ["result", "tool_response"],
    cwd: "cwd",
    session: "session_id",
  },
  encode,
  encodeCanary: (text) => `${text}\n`,
  takeInput: (text) => text,
});

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  // Without a text nobody would block the call.
  return { text: `${reason.trim() === "" ? "a policy of this project blocks the call" : reason}\n`, effective: "deny" };
}
