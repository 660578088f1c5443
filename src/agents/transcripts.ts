import { claudeCodeTranscripts } from "./claude-code/transcript.ts";
import { codexTranscripts } from "./codex/transcript.ts";
import { copilotTranscripts } from "./copilot-cli/transcript.ts";
import { geminiTranscripts } from "./gemini-cli/transcript.ts";
import { opencodeTranscripts } from "./opencode/transcript.ts";
import type { TranscriptReader } from "./transcript/call.ts";

/** The agents whose records of their sessions drwn can read. */
export const TRANSCRIPTS: readonly TranscriptReader[] = [
  claudeCodeTranscripts,
  codexTranscripts,
  geminiTranscripts,
  copilotTranscripts,
  opencodeTranscripts,
];
