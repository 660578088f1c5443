import path from "node:path";
import { rootAround } from "../../wiring/place.ts";

interface Home {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  home: string;
}

/** The user's own settings of Claude Code: in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`. */
export function claudeSettingsFile({ env, home }: Home): string {
  const asked = env["CLAUDE_CONFIG_DIR"];
  return path.resolve(home, asked || ".claude", isCowork(env) ? "cowork_settings.json" : "settings.json");
}

/** Whether Claude Code has settings and plugins of its own for Cowork. */
export function isCowork(env: Home["env"]): boolean {
  return /^(?:1|true|yes|on)$/iu.test(env["CLAUDE_CODE_USE_COWORK_PLUGINS"]?.trim() ?? "");
}

export function claudeSettingsRoot(host: Home): string {
  return rootAround(path.dirname(claudeSettingsFile(host)), host.home);
}

/** The project's personal settings, which Claude Code keeps out of version control. */
export function claudeProjectSettingsFile(root: string): string {
  return path.join(root, ".claude", "settings.local.json");
}

/** The project's settings that everybody shares. */
export function sharedSettingsFile(root: string): string {
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
