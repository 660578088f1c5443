import {
  type Adapter,
  ableTo,
  type DecodedEvent,
  type EventView,
  type PresentedVerdict,
  type Reply,
  type Wire,
} from "../../../hook-base/adapter/adapter.ts";
import { requireFiles } from "../../../hook-base/adapter/patch.ts";
import {
  canonicalOf,
  describeCall,
  mcpNames,
  requireInput,
  requirePhase,
  requireTool,
  takeObject,
  textViews,
} from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import type { AgentId, Phase } from "../../../policy/event.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  "tool.execute.before": "pre-tool",
  "tool.execute.after": "post-tool",
};

export const OPENCODE_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  list: "LS",
  read: "Read",
  skill: "Skill",
  task: "Agent",
  todowrite: "TodoWrite",
  webfetch: "WebFetch",
  websearch: "WebSearch",
  write: "Write",
};

export const opencode: Adapter = opencodeCalls({ runtime: "opencode", title: "OpenCode", tools: OPENCODE_TOOLS });

/** An agent with OpenCode's plugins. */
interface Plugged {
  runtime: AgentId;
  title: string;
  /** The canonical names of its tools. */
  tools: Readonly<Record<string, string>>;
}

/** The agent calls drwn's plugin, which sends what this reads: both ends of this protocol are drwn's. */
export function opencodeCalls({ runtime, title, tools }: Plugged): Adapter {
  return {
    runtime,
    title,
    can: ableTo("deny", "rewrite", "after-call"),
    canonicalTools: tools,
    decode: (wire, phase) => decode(wire, phase, tools),
    encode,
    encodeCanary: (text) => `{"message":${quoteJson(text)}}\n`,
    takeInput: takeObject,
  };
}

function decode(wire: Wire, phase: Phase, tools: Plugged["tools"]): DecodedEvent {
  const { event, tool: sent, args, output, directory, sessionID, ...others } = wire;
  if (event !== undefined) requirePhase(event, phase, PHASES);
  const tool = requireTool(sent, "tool");
  const input = requireInput(args, "args that aren't an object");
  const views = viewsOf(tool, input, directory);
  return describeCall({
    tool,
    toolName: canonicalOf(tool, tools),
    otherNames: opencodeMcpNames(tool),
    input,
    views,
    output,
    cwd: directory,
    sessionId: sessionID,
    callId: others["callID"],
    // A policy that gets one part of a patch can also look at the whole patch.
    metadata: views.length === 0 ? { ...others, tool } : { ...others, tool, args },
  });
}

/** Kilo sends a file to its company's servers, for the person's other devices. */
function viewsOf(tool: string, args: object, cwd: unknown): EventView[] {
  if (tool === "send_file") return textViews("Read", "file_path", ["path" in args ? args.path : undefined]);
  return PATCHES.has(tool) ? requireFiles("patchText" in args ? args.patchText : undefined, cwd) : [];
}

function encode({ action, reason, updatedInput }: PresentedVerdict): Reply {
  if (action !== "allow") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  return { text: updatedInput === null ? "" : `{"args":${updatedInput}}\n`, effective: "allow" };
}

/** The tools that take a patch. */
const PATCHES: ReadonlySet<string> = new Set(["apply_patch", "patch"]);

/** A tool of an MCP server is called `<server>_<tool>`. */
export function opencodeMcpNames(tool: string): string[] {
  return PATCHES.has(tool) ? [] : mcpNames(tool, "_");
}
