import path from "node:path";
import type { ReportGap, TranscriptFile, TranscriptReader } from "../transcript/call.ts";
import { findTranscripts } from "../transcript/files.ts";
import { CHATS, geminiSettingsFile } from "./paths.ts";
import { readGeminiCalls } from "./read-transcript.ts";

/**
 * `tmp/<project>/chats/session-….jsonl` beside the user's settings; a subagent's file is in a folder named after the
 * session.
 */
export const geminiTranscripts: TranscriptReader = {
  runtime: "gemini-cli",
  title: "Gemini CLI",
  files,
  calls: (...asked) => readGeminiCalls(...asked),
};

function* files(host: Parameters<TranscriptReader["files"]>[0], reportGap: ReportGap): Generator<TranscriptFile> {
  const folder = path.join(path.dirname(geminiSettingsFile(host)), "tmp");
  for (const found of findTranscripts(folder, /\.jsonl?$/u, reportGap)) if (found.file.includes(CHATS)) yield found;
}
