import { claudeCodeTranscripts } from "./claude-code/transcript.ts";
import { codexTranscripts } from "./codex/transcript.ts";
import type { TranscriptReader } from "./transcript/call.ts";

/** The agents whose own records of their sessions drwn can read. */
export const TRANSCRIPTS: readonly TranscriptReader[] = [claudeCodeTranscripts, codexTranscripts];
