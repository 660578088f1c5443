import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readQwenCalls } from "./read-transcript.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings and sessions: `$QWEN_HOME`, else `~/.qwen`. */
function qwenHome(host: Home): string {
  return namedFolder(host, "QWEN_HOME") ?? path.join(host.home, ".qwen");
}

/** The machine owner's settings: `settings` overrides everybody's, and `defaults` holds if nobody says anything. */
export function qwenSystemFiles({ env }: Pick<AgentContext["host"], "env">): { settings: string; defaults: string } {
  const folder = process.platform === "darwin" ? "/Library/Application Support/QwenCode" : "/etc/qwen-code";
  const settings = env["QWEN_CODE_SYSTEM_SETTINGS_PATH"] || path.join(folder, "settings.json");
  const defaults = env["QWEN_CODE_SYSTEM_DEFAULTS_PATH"] || path.join(path.dirname(settings), "system-defaults.json");
  return { settings: path.resolve(settings), defaults: path.resolve(defaults) };
}

export const qwenPlaces = {
  programs: ["qwen"],
  folders: ({ host }) => [qwenHome(host)],
  entry: (host: Home) => path.join(qwenHome(host), "settings.json"),
  /** `projects/<folder>/chats/<session>.jsonl` in Qwen Code's folder, and each subagent's beside that in `subagents`. */
  transcripts: {
    title: "Qwen Code",
    files: (host, reportGap) => findTranscripts(path.join(qwenHome(host), "projects"), /\.jsonl$/u, reportGap),
    calls: (...asked) => readQwenCalls(...asked),
  },
} satisfies AgentPlaces;
