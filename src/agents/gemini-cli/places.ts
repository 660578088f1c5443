import path from "node:path";
import type { AgentPlace } from "../target.ts";

/** The user's own settings: in `.gemini` of `$GEMINI_CLI_HOME`, else of the home. */
export function geminiSettingsFile({ env, home }: AgentPlace["host"]): string {
  return path.resolve(home, env["GEMINI_CLI_HOME"] || "", ".gemini", "settings.json");
}

/** The project's settings, which everybody shares. */
export function projectSettingsFile(root: string): string {
  return path.join(root, ".gemini", "settings.json");
}

/** Shared with other agents that follow the same convention. */
export function projectSkillsFolder(root: string): string {
  return path.join(root, ".agents", "skills");
}
