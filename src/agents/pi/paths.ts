import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readPiCalls } from "./read-transcript.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings, extensions and sessions: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function piHome(host: Home): string {
  return namedFolder(host, "PI_CODING_AGENT_DIR") ?? path.join(host.home, ".pi", "agent");
}

export const piPlaces = {
  programs: ["pi"],
  folders: ({ host }) => [piHome(host)],
  entry: (host) => path.join(piHome(host), "extensions", "drwn.js"),
  /** `sessions/--<folder>--/<time>_<session>.jsonl` in Pi's folder. Calls that a script made are with its result. */
  transcripts: {
    title: "Pi",
    files: (host, reportGap) =>
      findTranscripts(
        namedFolder(host, "PI_CODING_AGENT_SESSION_DIR") ?? path.join(piHome(host), "sessions"),
        /\.jsonl$/u,
        reportGap,
      ),
    calls: (...asked) => readPiCalls(...asked),
  },
} satisfies AgentPlaces;
