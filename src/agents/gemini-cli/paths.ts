import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readGeminiCalls } from "./read-transcript.ts";

/** The user's own settings: in `.gemini` of `$GEMINI_CLI_HOME`, otherwise of the home folder. */
export function geminiSettingsFile(host: AgentContext["host"]): string {
  return path.join(namedFolder(host, "GEMINI_CLI_HOME") ?? host.home, ".gemini", "settings.json");
}

/** The project's settings, which everybody shares. */
export function geminiProjectSettingsFile(root: string): string {
  return path.join(root, ".gemini", "settings.json");
}

/** The machine owner's settings: `settings` overrides everybody's, and `defaults` holds if nobody says anything. */
export function systemSettingsFiles({ env }: Pick<AgentContext["host"], "env">): {
  settings: string;
  defaults: string;
} {
  const folder = process.platform === "darwin" ? "/Library/Application Support/GeminiCli" : "/etc/gemini-cli";
  const settings = env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] || path.join(folder, "settings.json");
  const defaults = env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] || path.join(path.dirname(settings), "system-defaults.json");
  return { settings: path.resolve(settings), defaults: path.resolve(defaults) };
}

/** Shared with other agents that follow the same convention. */
export function geminiSkillsFolder(root: string): string {
  return path.join(root, ".agents", "skills");
}

export const geminiPlaces = {
  programs: ["gemini"],
  folders: ({ host }) => [path.dirname(geminiSettingsFile(host))],
  entry: geminiSettingsFile,
  /**
   * `tmp/<project>/chats/session-….jsonl` beside the user's settings; a subagent's file is in a folder named after the
   * session.
   */
  transcripts: {
    title: "Gemini CLI",
    *files(host, reportGap) {
      const folder = path.join(path.dirname(geminiSettingsFile(host)), "tmp");
      for (const found of findTranscripts(folder, /\.jsonl?$/u, reportGap))
        if (found.file.split(path.sep).includes("chats")) yield found;
    },
    calls: (...asked) => readGeminiCalls(...asked),
  },
} satisfies AgentPlaces;
