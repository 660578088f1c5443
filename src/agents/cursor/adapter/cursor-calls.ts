import { ableTo, type PresentedVerdict, type Reply, type Wire } from "../../../hook-base/adapter/adapter.ts";
import { CLAUDE_FIELDS, callAdapter } from "../../../hook-base/adapter/call-adapter.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";

export const CURSOR_TOOLS: Readonly<Record<string, string>> = { Shell: "Bash" };

/**
 * Follows Cursor's documentation; the program was not run here. What the documentation leaves open counts as something
 * that Cursor cannot do, so that drwn promises nothing that may not hold.
 */
export const cursor = callAdapter({
  runtime: "cursor",
  title: "Cursor",
  can: ableTo("deny", "after-call", "after-failure"),
  canonicalTools: CURSOR_TOOLS,
  phases: { preToolUse: "pre-tool", postToolUse: "post-tool", postToolUseFailure: "post-tool" },
  fields: { ...CLAUDE_FIELDS, output: "tool_output", error: "error_message", session: "conversation_id" },
  folderIn: folderOf,
  encode,
  encodeCanary: (text) => `{"user_message":${quoteJson(text)}}\n`,
});

function encode({ action, reason, notice = null }: PresentedVerdict): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  const said = quoteJson(reason);
  const shown = notice === null ? said : quoteJson(`${reason}\n${notice}`);
  return { text: `{"permission":"deny","user_message":${shown},"agent_message":${said}}\n`, effective: "deny" };
}

/** The folder that an event names, otherwise the first folder of the workspace. */
export function folderOf({ cwd, workspace_roots: roots }: Wire): string | undefined {
  const folder: unknown = typeof cwd === "string" || !Array.isArray(roots) ? cwd : roots[0];
  return typeof folder === "string" ? folder : undefined;
}
