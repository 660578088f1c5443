import type { MomentSaying, Reply } from "../../../hot/adapter/adapter.ts";
import { createMoments, HOLDS, INJECTS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { OPENCODE_TOOLS, opencodeMcpNames } from "./tools.ts";

/** The moments that OpenCode reports to plugins, as drwn's plugin sends them. */
export const opencodeMoments = createMoments({
  formats: {
    "session.start": { name: "session.created", ...WATCHED, fields: {} },
    "prompt.submit": { name: "chat.message", ...HOLDS, injects: true, fields: { prompt: "prompt" } },
    "tool.after": {
      name: "tool.execute.after",
      ...INJECTS,
      fields: { toolName: "tool", toolInput: "args", output: "output" },
    },
    "turn.stop": { name: "session.idle", ...WATCHED, fields: {} },
    "compact.before": { name: "experimental.session.compacting", ...HOLDS, injects: true, fields: {} },
    "compact.after": { name: "session.compacted", ...WATCHED, fields: {} },
  },
  others: [],
  canonicalTools: OPENCODE_TOOLS,
  otherNames: opencodeMcpNames,
  encode,
});

function encode({ action, reason, context }: MomentSaying): Reply {
  if (action !== "allow") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  return { text: context === null ? "" : `{"context":${quoteJson(context)}}\n`, effective: "allow" };
}
