import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings and plugins: `$XDG_CONFIG_HOME/kilo`, else `~/.config/kilo`. */
export function kiloConfigFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_CONFIG_HOME") ?? path.join(host.home, ".config"), "kilo");
}

/** Where its sessions are: `$XDG_DATA_HOME/kilo`, else `~/.local/share/kilo`. */
export function kiloDataFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_DATA_HOME") ?? path.join(host.home, ".local", "share"), "kilo");
}
