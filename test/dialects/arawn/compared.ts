import fs from "node:fs";
import path from "node:path";
import { type ComparedSystem, PROCEEDS, type Told, unlabelled } from "../compare.ts";

export type Generation = "hooks.json" | "plugin.toml" | "settings.json";

/** Arawn as its documentation has it, of one of the generations that `write` makes entries for. */
export function arawnBy(generation: Generation): ComparedSystem {
  return {
    runtime: "arawn",
    read: ({ code, stdout }) =>
      code === 0
        ? { ...PROCEEDS, text: unlabelled(stdout) }
        : { ...PROCEEDS, ends: "held", reason: unlabelled(stdout) },
    toClaude,
    prepare: ({ cwd, home }) => {
      const files = {
        "hooks.json": path.join(cwd, "plugins/drwn/hooks/hooks.json"),
        "plugin.toml": path.join(cwd, "plugins/drwn/plugin.toml"),
        "settings.json": path.join(home, ".arawn/settings.json"),
      };
      for (const [name, file] of Object.entries(files)) if (name !== generation) fs.rmSync(file, { force: true });
    },
  };
}

/** Claude Code's names of tools for those of Arawn. */
const TOOLS: Readonly<Record<string, string>> = {
  file_edit: "Edit",
  file_read: "Read",
  file_write: "Write",
  shell: "Bash",
  web_fetch: "WebFetch",
};

function toClaude({ event, input }: Told): Told | undefined {
  const { tool, params, result, session_id, response, ...rest } = input;
  const session = session_id === undefined ? {} : { session_id };
  const call = { tool_name: TOOLS[String(tool)] ?? tool, tool_input: params };
  if (event === "PreToolUse") return { event, input: { ...session, ...call } };
  if (event === "PostToolUse") return { event, input: { ...session, ...call, tool_response: result } };
  if (event === "SessionStart") return { event, input: { ...session, source: "startup" } };
  if (event === "SessionEnd") return { event, input: { ...session, reason: "other", ...rest } };
  if (event === "Stop") {
    return { event, input: { ...session, stop_hook_active: false, ...rest, last_assistant_message: response } };
  }
  if (event === "UserPromptSubmit" || event === "PreCompact" || event === "SubagentStart") {
    return { event, input: { ...session, ...rest } };
  }
  if (event === "PostCompact") {
    const { summary: compact_summary, ...compact } = rest;
    return { event, input: { ...session, ...compact, compact_summary } };
  }
  if (event === "SubagentStop") {
    return { event, input: { ...session, stop_hook_active: false, ...rest, last_assistant_message: response } };
  }
  return undefined;
}
