import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import {
  type AgentPlaces,
  listTranscripts,
  type ReportGap,
  statTranscript,
  type TranscriptFile,
} from "../transcript/transcript.ts";
import { readOpencodeCalls } from "./read-transcript.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** In the folder of the user's settings. */
export const PLUGIN: string = path.join("plugins", "drwn.js");

/** The user's settings and plugins: `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`. */
export function opencodeConfigFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_CONFIG_HOME") ?? path.join(host.home, ".config"), "opencode");
}

/** Where its sessions are: `$XDG_DATA_HOME/opencode`, else `~/.local/share/opencode`. */
function opencodeDataFolder(host: Home): string {
  return path.join(namedFolder(host, "XDG_DATA_HOME") ?? path.join(host.home, ".local", "share"), "opencode");
}

export const opencodePlaces = {
  programs: ["opencode"],
  folders: ({ host }) => [opencodeConfigFolder(host), opencodeDataFolder(host)],
  entry: (host) => path.join(opencodeConfigFolder(host), PLUGIN),
  /** All sessions are in one SQLite database, which only a Node with its own SQLite can read. */
  transcripts: {
    title: "OpenCode",
    files: (host, reportGap) => databaseFiles(opencodeDataFolder(host), "opencode", reportGap),
    calls: (...asked) => readOpencodeCalls(...asked),
  },
} satisfies AgentPlaces;

/** Builds of other channels name their database differently. */
export function* databaseFiles(folder: string, program: string, reportGap: ReportGap): Generator<TranscriptFile> {
  for (const { name } of listTranscripts(folder, reportGap)) {
    if (!name.endsWith(".db") || !(name === `${program}.db` || name.startsWith(`${program}-`))) continue;
    const file = path.join(folder, name);
    // The latest writes are in a file beside it.
    const stats = [file, `${file}-wal`].flatMap((one) => statTranscript(one, reportGap) ?? []);
    if (stats.length === 0) continue;
    const changed = new Date(Math.max(...stats.map(({ mtimeMs }) => mtimeMs)));
    yield { file, changed, bytes: stats.reduce((sum, { size }) => sum + size, 0) };
  }
}
