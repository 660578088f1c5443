import path from "node:path";
import type { TranscriptReader } from "../transcript/call.ts";
import { findTranscripts } from "../transcript/files.ts";
import { codexHome } from "./paths.ts";
import { readCodexCalls } from "./read-transcript.ts";

/** `sessions/<year>/<month>/<day>/rollout-….jsonl` in Codex's folder, one for each session and each subagent. */
export const codexTranscripts: TranscriptReader = {
  runtime: "codex",
  title: "Codex",
  files: (host, reportGap) =>
    findTranscripts(path.join(codexHome(host), "sessions"), /^rollout-.*\.jsonl$/u, reportGap),
  calls: (...asked) => readCodexCalls(...asked),
};
