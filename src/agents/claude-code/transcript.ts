import path from "node:path";
import type { TranscriptReader } from "../transcript/call.ts";
import { findTranscripts } from "../transcript/files.ts";
import { claudeSettingsFile } from "./paths.ts";
import { readClaudeCalls } from "./read-transcript.ts";

/** `projects/<folder>/<session>.jsonl` beside the user's settings; each subagent has a file of its own below that. */
export const claudeCodeTranscripts: TranscriptReader = {
  runtime: "claude-code",
  title: "Claude Code",
  files: (host, reportGap) =>
    findTranscripts(path.join(path.dirname(claudeSettingsFile(host)), "projects"), /\.jsonl$/u, reportGap),
  calls: (...asked) => readClaudeCalls(...asked),
};
