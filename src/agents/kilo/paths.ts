import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { databaseFiles, PLUGIN } from "../opencode/paths.ts";
import { readOpencodeCalls } from "../opencode/read-transcript.ts";
import type { AgentPlaces } from "../transcript/transcript.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings and plugins: `$XDG_CONFIG_HOME/kilo`, else `~/.config/kilo`. */
export function kiloConfigFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_CONFIG_HOME") ?? path.join(host.home, ".config"), "kilo");
}

/** Where its sessions are: `$XDG_DATA_HOME/kilo`, else `~/.local/share/kilo`. */
function kiloDataFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_DATA_HOME") ?? path.join(host.home, ".local", "share"), "kilo");
}

export const kiloPlaces = {
  programs: ["kilo", "kilocode"],
  folders: ({ host }) => [kiloConfigFolder(host), kiloDataFolder(host)],
  entry: (host) => path.join(kiloConfigFolder(host), PLUGIN),
  /** A database like OpenCode's. */
  transcripts: {
    title: "Kilo",
    files: (host, reportGap) => databaseFiles(kiloDataFolder(host), "kilo", reportGap),
    calls: (file, reportGap, lastBytes) =>
      readOpencodeCalls(file, reportGap, lastBytes, { agent: "kilo", title: "Kilo", known: /^7\.\d/u }),
  },
} satisfies AgentPlaces;
