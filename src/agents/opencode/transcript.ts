import path from "node:path";
import type { Host } from "../../kernel/host.ts";
import type { ReportGap, TranscriptFile, TranscriptReader } from "../transcript/call.ts";
import { listTranscripts, statTranscript } from "../transcript/files.ts";
import { opencodeDataFolder } from "./paths.ts";
import { readOpencodeCalls } from "./read-transcript.ts";

/** All sessions are in one SQLite database, which only a Node with its own SQLite can read. */
export const opencodeTranscripts: TranscriptReader = {
  runtime: "opencode",
  title: "OpenCode",
  files,
  calls: (...asked) => readOpencodeCalls(...asked),
};

/** Builds of other channels name their database differently. */
function* files(host: Pick<Host, "cwd" | "home" | "env">, reportGap: ReportGap): Generator<TranscriptFile> {
  const folder = opencodeDataFolder(host);
  for (const { name } of listTranscripts(folder, reportGap)) {
    if (!/^opencode(?:-[\w.-]+)?\.db$/u.test(name)) continue;
    const file = path.join(folder, name);
    // The latest writes are in a file beside it.
    const stats = [file, `${file}-wal`].flatMap((one) => statTranscript(one, reportGap) ?? []);
    if (stats.length === 0) continue;
    const changed = new Date(Math.max(...stats.map(({ mtimeMs }) => mtimeMs)));
    yield { file, changed, bytes: stats.reduce((sum, { size }) => sum + size, 0) };
  }
}
