import path from "node:path";
import type { TranscriptReader } from "../transcript/call.ts";
import { findTranscripts } from "../transcript/files.ts";
import { copilotHome } from "./paths.ts";
import { readCopilotCalls } from "./read-transcript.ts";

/** `session-state/<session>/events.jsonl` in Copilot CLI's folder. Calls of subagents are among the others. */
export const copilotTranscripts: TranscriptReader = {
  runtime: "copilot-cli",
  title: "Copilot CLI",
  files: (host, reportGap) =>
    findTranscripts(path.join(copilotHome(host), "session-state"), /^events\.jsonl$/u, reportGap),
  calls: (...asked) => readCopilotCalls(...asked),
};
