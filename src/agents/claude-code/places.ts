import path from "node:path";

interface Home {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  home: string;
}

/** The user's own settings of Claude Code: in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`. */
export function claudeSettingsFile({ env, home }: Home): string {
  const asked = env["CLAUDE_CONFIG_DIR"];
  return path.resolve(home, asked || ".claude", "settings.json");
}

/**
 * The folder that the user's own settings must not lead out of: the home, so that they may link to a dotfiles folder in it;
 * the folder of the settings itself when that lies elsewhere.
 */
export function claudeSettingsRoot(host: Home): string {
  const folder = path.dirname(claudeSettingsFile(host));
  const relative = path.relative(host.home, folder);
  const isBelowHome = relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return isBelowHome ? host.home : folder;
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
