import {
  type Adapter,
  ableTo,
  type EventView,
  type PresentedVerdict,
  type Reply,
} from "../../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../../hook-base/adapter/call-adapter.ts";
import { requireFiles } from "../../../hook-base/adapter/patch.ts";
import { mcpNames, textViews } from "../../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import type { AgentId } from "../../../policy/event.ts";

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
  return callAdapter({
    runtime,
    title,
    can: ableTo("deny", "rewrite", "after-call"),
    canonicalTools: tools,
    phases: { "tool.execute.before": "pre-tool", "tool.execute.after": "post-tool" },
    fields: {
      event: "event",
      tool: "tool",
      input: "args",
      output: "output",
      cwd: "directory",
      session: "sessionID",
      call: "callID",
    },
    otherNames: opencodeMcpNames,
    views,
    encode,
    encodeCanary: (text) => `{"message":${quoteJson(text)}}\n`,
  });
}

/** Kilo sends a file to its company's servers, for the person's other devices. */
function views({ tool, input: { path, patchText }, cwd }: SentCall): EventView[] {
  if (tool === "send_file") return textViews("Read", "file_path", [path]);
  return PATCHES.has(tool) ? requireFiles(patchText, cwd) : [];
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
