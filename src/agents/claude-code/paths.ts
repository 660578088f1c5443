import path from "node:path";
import type { Host } from "../../kernel/host.ts";
import { rootAround } from "../../wiring/file-location.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readClaudeCalls } from "./read-transcript.ts";

type Home = Pick<Host, "cwd" | "env" | "home">;

/** The user's own Claude Code settings: in `$CLAUDE_CONFIG_DIR`, otherwise in `~/.claude`. */
export function claudeSettingsFile({ cwd, env, home }: Home): string {
  const asked = env["CLAUDE_CONFIG_DIR"];
  // Claude Code takes even an empty value as a relative path: the folder in which the session starts.
  const folder = asked === undefined ? path.join(home, ".claude") : path.resolve(cwd, asked);
  return path.join(folder, isCowork(env) ? "cowork_settings.json" : "settings.json");
}

/** Whether Claude Code uses its separate settings and plugins for Cowork. */
function isCowork(env: Host["env"]): boolean {
  return /^(?:1|true|yes|on)$/iu.test(env["CLAUDE_CODE_USE_COWORK_PLUGINS"]?.trim() ?? "");
}

export function claudeSettingsRoot(host: Home): string {
  return rootAround(path.dirname(claudeSettingsFile(host)), host.home);
}

/** The project's personal settings, which Claude Code keeps out of version control. */
export function claudeProjectSettingsFile(root: string): string {
  return path.join(root, ".claude", "settings.local.json");
}

/** The project's settings, which everybody shares. */
export function committedSettingsFile(root: string): string {
  return path.join(root, ".claude", "settings.json");
}

/** The folder of the project's skills. */
export function claudeSkillsFolder(root: string): string {
  return path.join(root, ".claude", "skills");
}

/** The project's MCP servers. */
export function projectServersFile(root: string): string {
  return path.join(root, ".mcp.json");
}

export const claudeCodePlaces = {
  programs: ["claude"],
  folders: ({ host }) => [path.dirname(claudeSettingsFile(host)), path.join(host.home, ".claude")],
  entry: claudeSettingsFile,
  /** `projects/<folder>/<session>.jsonl` beside the user's settings; each subagent has a file of its own below that. */
  transcripts: {
    title: "Claude Code",
    files: (host, reportGap) =>
      findTranscripts(path.join(path.dirname(claudeSettingsFile(host)), "projects"), /\.jsonl$/u, reportGap),
    calls: (...asked) => readClaudeCalls(...asked),
  },
} satisfies AgentPlaces;
