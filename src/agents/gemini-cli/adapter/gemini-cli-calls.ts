import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type EventView,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hot/adapter/adapter.ts";
import { describeCall, requireInput, requirePhase, requireTool } from "../../../hot/adapter/tool-call.ts";
import { fileOfUri, textViews } from "../../../hot/adapter/views.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import type { Phase } from "../../../policy/event.ts";
import { otherReadings, takeInput } from "./paths.ts";
import { errorIn, GEMINI_TOOLS, geminiCanonicalName } from "./tools.ts";

const PHASES: Readonly<Record<string, Phase>> = { BeforeTool: "pre-tool", AfterTool: "post-tool" };

/** Gemini CLI ignores context before a call, and reports a failed call as a completed one with an error. */
export const geminiCli: Adapter = {
  runtime: "gemini-cli",
  title: "Gemini CLI",
  can: ableTo("deny", "ask", "rewrite", "after-call", "after-failure"),
  canonicalTools: GEMINI_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  takeInput,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { hook_event_name, tool_name, tool_input, tool_response, cwd, session_id, ...others } = wire;
  if (hook_event_name !== undefined) requirePhase(hook_event_name, phase, PHASES);
  const tool = requireTool(tool_name, "tool_name");
  const toolName = geminiCanonicalName(tool, wire["mcp_context"]);
  const input = requireInput(tool_input, "a tool_input that isn't an object");
  const files = filesReadBy(tool, input);
  const views = files.length > 0 ? files : otherReadings({ toolName, tool }, input);
  return describeCall({
    tool,
    toolName,
    input,
    views,
    isDivided: files.length > 0,
    output: tool_response,
    error: errorIn(tool_response),
    cwd,
    sessionId: session_id,
    metadata: toolName === tool ? others : { ...others, tool_name },
  });
}

/** The files that a call reads under a name that no other agent has. Gemini CLI expands patterns in them; drwn doesn't. */
function filesReadBy(tool: string, input: Readonly<Record<string, unknown>>): EventView[] {
  if (tool === "read_mcp_resource") return textViews("Read", "file_path", [fileOfUri(input["uri"])]);
  if (tool !== "read_many_files") return [];
  return textViews("Read", "file_path", [input["include"], input["paths"]].flat());
}

/** An answer without a decision leaves Gemini CLI's own rules in force, also for the rewritten input. */
function encode({ action, reason, updatedInput, notice = null }: PresentedVerdict): Reply {
  if (action !== "allow") {
    // A person sees `systemMessage`; the model gets the `reason` of a deny.
    const shown = action === "ask" ? reason : notice;
    const said = shown === null ? "" : `,"systemMessage":${quoteJson(shown)}`;
    return { text: `{"decision":"${action}","reason":${quoteJson(reason)}${said}}\n`, effective: action };
  }
  if (updatedInput === null) return { text: "", effective: action };
  const text = `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":${updatedInput}}}\n`;
  return { text, effective: action };
}
