import fs from "node:fs";
import path from "node:path";
import { namedFolder, rootAround } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readCodexCalls } from "./read-transcript.ts";

/** `$CODEX_HOME`, else `~/.codex`. */
export function codexHome(host: AgentContext["host"]): string {
  return namedFolder(host, "CODEX_HOME") ?? path.join(host.home, ".codex");
}

export function codexHooksFile(host: AgentContext["host"]): string {
  return path.join(codexHome(host), "hooks.json");
}

export function codexHooksRoot(host: AgentContext["host"]): string {
  return rootAround(codexHome(host), host.home);
}

export function codexProjectHooksFile(root: string): string {
  return path.join(root, ".codex", "hooks.json");
}

/** Shared with other agents that follow the same convention. */
export function codexSkillsFolder(root: string): string {
  return path.join(root, ".agents", "skills");
}

export function projectConfigFile(root: string): string {
  return path.join(root, ".codex", "config.toml");
}

/** The project's configurations. Codex also reads those of the folders above, up to the repository's. */
export function projectConfigs(root: string): string[] {
  const folders = [root];
  for (let at = root; !fs.existsSync(path.join(at, ".git")) && at !== path.dirname(at); ) {
    at = path.dirname(at);
    folders.push(at);
  }
  const isRepository = fs.existsSync(path.join(folders.at(-1) ?? root, ".git"));
  return (isRepository ? folders : [root]).map(projectConfigFile);
}

export const codexPlaces = {
  programs: ["codex"],
  folders: ({ host }) => [codexHome(host)],
  entry: codexHooksFile,
  /** `sessions/<year>/<month>/<day>/rollout-….jsonl` in Codex's folder, one for each session and each subagent. */
  transcripts: {
    title: "Codex",
    files: (host, reportGap) =>
      findTranscripts(path.join(codexHome(host), "sessions"), /^rollout-.*\.jsonl$/u, reportGap),
    calls: (...asked) => readCodexCalls(...asked),
  },
} satisfies AgentPlaces;
