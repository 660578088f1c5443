import {
  type Adapter,
  ableTo,
  type EventView,
  type LifecycleAdapter,
  type PresentedLifecycleVerdict,
  type PresentedVerdict,
  type Reply,
} from "../../hook-base/adapter/adapter.ts";
import { callAdapter, type SentCall } from "../../hook-base/adapter/call-adapter.ts";
import { createLifecycleAdapter, MAY_HOLD, MAY_INJECT, REPORT_ONLY } from "../../hook-base/adapter/lifecycle-format.ts";
import { requireFiles } from "../../hook-base/adapter/patch.ts";
import { mcpNames, textViews } from "../../hook-base/adapter/tool-call.ts";
import { quoteJson } from "../../hook-base/primordials.ts";
import type { AgentId } from "../../policy/event.ts";

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

export const opencode: Adapter = /* @__PURE__ */ opencodeCalls({
  runtime: "opencode",
  title: "OpenCode",
  tools: OPENCODE_TOOLS,
});

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
function opencodeMcpNames(tool: string): string[] {
  return PATCHES.has(tool) ? [] : mcpNames(tool, "_");
}

/** The lifecycle events that OpenCode reports to plugins, as drwn's plugin sends them. */
export const opencodeLifecycle = /* @__PURE__ */ pluginLifecycle(OPENCODE_TOOLS);

/** The lifecycle events of an agent with OpenCode's plugins. */
export function pluginLifecycle(canonicalTools: Readonly<Record<string, string>>): LifecycleAdapter {
  return createLifecycleAdapter(() => ({
    formats: {
      "session.start": { name: "session.created", ...REPORT_ONLY, fields: {} },
      "prompt.submit": { name: "chat.message", ...MAY_HOLD, injects: true, fields: { prompt: "prompt" } },
      "tool.after": {
        name: "tool.execute.after",
        ...MAY_INJECT,
        fields: { toolName: "tool", toolInput: "args", output: "output" },
      },
      "turn.stop": { name: "session.idle", ...REPORT_ONLY, fields: {} },
      "compact.before": { name: "experimental.session.compacting", ...MAY_HOLD, injects: true, fields: {} },
      "compact.after": { name: "session.compacted", ...REPORT_ONLY, fields: {} },
    },
    others: [],
    canonicalTools,
    otherNames: opencodeMcpNames,
    encode: tellPlugin,
  }));
}

/** What drwn's plugin is told about a lifecycle event. */
export function tellPlugin({ action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  return { text: context === null ? "" : `{"context":${quoteJson(context)}}\n`, effective: "allow" };
}
