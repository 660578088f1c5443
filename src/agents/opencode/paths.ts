import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings and plugins: `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`. */
export function opencodeConfigFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_CONFIG_HOME") ?? path.join(host.home, ".config"), "opencode");
}

/** Where its sessions are: `$XDG_DATA_HOME/opencode`, else `~/.local/share/opencode`. */
export function opencodeDataFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_DATA_HOME") ?? path.join(host.home, ".local", "share"), "opencode");
}
