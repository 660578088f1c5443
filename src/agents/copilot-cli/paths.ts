import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { type AgentPlaces, findTranscripts } from "../transcript/transcript.ts";
import { readCopilotCalls } from "./read-transcript.ts";

/** `$COPILOT_HOME`, else `~/.copilot`. */
function copilotHome(host: Pick<AgentContext["host"], "cwd" | "env" | "home">): string {
  return namedFolder(host, "COPILOT_HOME") ?? path.join(host.home, ".copilot");
}

export const copilotPlaces = {
  programs: ["copilot"],
  folders: ({ host }) => [copilotHome(host)],
  /** A file of drwn's own beside other hooks files: Copilot CLI reads them all. */
  entry: (host: AgentContext["host"]) => path.join(copilotHome(host), "hooks", "drwn.json"),
  /** `session-state/<session>/events.jsonl` in Copilot CLI's folder. Calls of subagents are among the others. */
  transcripts: {
    title: "Copilot CLI",
    files: (host, reportGap) =>
      findTranscripts(path.join(copilotHome(host), "session-state"), /^events\.jsonl$/u, reportGap),
    calls: (...asked) => readCopilotCalls(...asked),
  },
} satisfies AgentPlaces;
