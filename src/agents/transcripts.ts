import path from "node:path";
import { namedFolder } from "../wiring/file-location.ts";
import { claudeSettingsFile } from "./claude-code/paths.ts";
import { readClaudeCalls } from "./claude-code/read-transcript.ts";
import { codexHome } from "./codex/paths.ts";
import { readCodexCalls } from "./codex/read-transcript.ts";
import { copilotHome } from "./copilot-cli/paths.ts";
import { readCopilotCalls } from "./copilot-cli/read-transcript.ts";
import { CHATS, geminiSettingsFile } from "./gemini-cli/paths.ts";
import { readGeminiCalls } from "./gemini-cli/read-transcript.ts";
import { kiloDataFolder } from "./kilo/paths.ts";
import { opencodeDataFolder } from "./opencode/paths.ts";
import { readOpencodeCalls } from "./opencode/read-transcript.ts";
import { piHome } from "./pi/paths.ts";
import { readPiCalls } from "./pi/read-transcript.ts";
import { qwenHome } from "./qwen-code/paths.ts";
import { readQwenCalls } from "./qwen-code/read-transcript.ts";
import {
  findTranscripts,
  listTranscripts,
  type ReportGap,
  statTranscript,
  type TranscriptFile,
  type TranscriptReader,
} from "./transcript/transcript.ts";

/** `projects/<folder>/<session>.jsonl` beside the user's settings; each subagent has a file of its own below that. */
export const claudeCodeTranscripts: TranscriptReader = {
  runtime: "claude-code",
  title: "Claude Code",
  files: (host, reportGap) =>
    findTranscripts(path.join(path.dirname(claudeSettingsFile(host)), "projects"), /\.jsonl$/u, reportGap),
  calls: (...asked) => readClaudeCalls(...asked),
};

/** `sessions/<year>/<month>/<day>/rollout-….jsonl` in Codex's folder, one for each session and each subagent. */
export const codexTranscripts: TranscriptReader = {
  runtime: "codex",
  title: "Codex",
  files: (host, reportGap) =>
    findTranscripts(path.join(codexHome(host), "sessions"), /^rollout-.*\.jsonl$/u, reportGap),
  calls: (...asked) => readCodexCalls(...asked),
};

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

/** `session-state/<session>/events.jsonl` in Copilot CLI's folder. Calls of subagents are among the others. */
export const copilotTranscripts: TranscriptReader = {
  runtime: "copilot-cli",
  title: "Copilot CLI",
  files: (host, reportGap) =>
    findTranscripts(path.join(copilotHome(host), "session-state"), /^events\.jsonl$/u, reportGap),
  calls: (...asked) => readCopilotCalls(...asked),
};

/** All sessions are in one SQLite database, which only a Node with its own SQLite can read. */
export const opencodeTranscripts: TranscriptReader = {
  runtime: "opencode",
  title: "OpenCode",
  files: (host, reportGap) => databaseFiles(opencodeDataFolder(host), "opencode", reportGap),
  calls: (...asked) => readOpencodeCalls(...asked),
};

/** A database like OpenCode's. */
export const kiloTranscripts: TranscriptReader = {
  runtime: "kilo",
  title: "Kilo",
  files: (host, reportGap) => databaseFiles(kiloDataFolder(host), "kilo", reportGap),
  calls: (file, reportGap, lastBytes) =>
    readOpencodeCalls(file, reportGap, lastBytes, { agent: "kilo", title: "Kilo", known: /^7\.\d/u }),
};

/** `projects/<folder>/chats/<session>.jsonl` in Qwen Code's folder, and each subagent's beside that in `subagents`. */
export const qwenTranscripts: TranscriptReader = {
  runtime: "qwen-code",
  title: "Qwen Code",
  files: (host, reportGap) => findTranscripts(path.join(qwenHome(host), "projects"), /\.jsonl$/u, reportGap),
  calls: (...asked) => readQwenCalls(...asked),
};

/** `sessions/--<folder>--/<time>_<session>.jsonl` in Pi's folder. Calls that a script made are with its result. */
export const piTranscripts: TranscriptReader = {
  runtime: "pi",
  title: "Pi",
  files: (host, reportGap) =>
    findTranscripts(
      namedFolder(host, "PI_CODING_AGENT_SESSION_DIR") ?? path.join(piHome(host), "sessions"),
      /\.jsonl$/u,
      reportGap,
    ),
  calls: (...asked) => readPiCalls(...asked),
};

/** The agents whose records of their sessions drwn can read. */
export const TRANSCRIPTS: readonly TranscriptReader[] = [
  claudeCodeTranscripts,
  codexTranscripts,
  geminiTranscripts,
  copilotTranscripts,
  opencodeTranscripts,
  kiloTranscripts,
  qwenTranscripts,
  piTranscripts,
];

function* files(host: Parameters<TranscriptReader["files"]>[0], reportGap: ReportGap): Generator<TranscriptFile> {
  const folder = path.join(path.dirname(geminiSettingsFile(host)), "tmp");
  for (const found of findTranscripts(folder, /\.jsonl?$/u, reportGap)) if (found.file.includes(CHATS)) yield found;
}

/** Builds of other channels name their database differently. */
function* databaseFiles(folder: string, program: string, reportGap: ReportGap): Generator<TranscriptFile> {
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
