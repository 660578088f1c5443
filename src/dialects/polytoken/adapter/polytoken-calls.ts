import { ableTo, type PresentedVerdict, type Reply } from "../../../hook-base/adapter/adapter.ts";
import { callAdapter } from "../../../hook-base/adapter/call-adapter.ts";
import { errorOf } from "../../../hook-base/adapter/tool-call.ts";
import { nodeProcess, quoteJson } from "../../../hook-base/primordials.ts";
import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";

/** Polytoken's hooks say yes or no: an outcome that lets a tool run has no fields. */
export const polytoken = callAdapter({
  runtime: "polytoken",
  title: "Polytoken",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: POLYTOKEN_TOOLS,
  phases: { pre_tool_use: "pre-tool", post_tool_use: "post-tool", post_tool_use_failure: "post-tool" },
  namesEvents: true,
  fields: {
    event: "event",
    tool: "tool_name",
    input: "input",
    output: "output",
    error: "error",
    cwd: "cwd",
    session: "session_id",
  },
  canonicalName: polytokenCanonicalName,
  errorIn: ({ event, error }) => (event === "post_tool_use_failure" ? errorOf(error ?? "the tool failed") : undefined),
  // Its events name no folder; its environment does.
  folderIn: ({ cwd }) => cwd ?? (nodeProcess.env["POLYTOKEN_PROJECT_DIR"] || undefined),
  encode,
  encodeCanary: (text) => `{"outcome":"deny","reason":${quoteJson(text)}}\n`,
  takeInput: (text) => text,
});

function encode({ action, reason }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  return { text: `{"outcome":"deny","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}

/** Tools that edit files are called `file_edit_` and their way to do it. */
export function polytokenCanonicalName(tool: string): string {
  if (Object.hasOwn(POLYTOKEN_TOOLS, tool)) return String(POLYTOKEN_TOOLS[tool]);
  return tool.startsWith("file_edit_") ? "Edit" : tool;
}
