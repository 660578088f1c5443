import type { LifecycleAdapter, PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  createLifecycleAdapter,
  MAY_HOLD,
  MAY_INJECT,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { OPENCODE_TOOLS, opencodeMcpNames } from "./opencode-calls.ts";

/** The lifecycle events that OpenCode reports to plugins, as drwn's plugin sends them. */
export const opencodeLifecycle = pluginLifecycle(OPENCODE_TOOLS);

/** The lifecycle events of an agent with OpenCode's plugins. */
export function pluginLifecycle(canonicalTools: Readonly<Record<string, string>>): LifecycleAdapter {
  return createLifecycleAdapter({
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
  });
}

/** What drwn's plugin is told about a lifecycle event. */
export function tellPlugin({ action, reason, context }: PresentedLifecycleVerdict): Reply {
  if (action !== "allow") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  return { text: context === null ? "" : `{"context":${quoteJson(context)}}\n`, effective: "allow" };
}
