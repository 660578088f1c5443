import fs from "node:fs";
import path from "node:path";
import { hasCode } from "../../kernel/atomic.ts";
import type { ReportGap, TranscriptFile } from "./call.ts";

/** Deeper than any agent puts its transcripts. */
const DEEPEST = 8;

/**
 * The files below a folder whose names match, in the order of their paths. It passes over files that are gone again,
 * and reports what it cannot read, which may hold calls.
 */
export function* findTranscripts(
  folder: string,
  name: RegExp,
  reportGap: ReportGap,
  depth = 0,
): Generator<TranscriptFile> {
  for (const entry of listTranscripts(folder, reportGap)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth < DEEPEST) yield* findTranscripts(file, name, reportGap, depth + 1);
      continue;
    }
    const isNamed = name.test(entry.name);
    const stat = isNamed || entry.isSymbolicLink() ? statTranscript(file, reportGap) : undefined;
    // Links may lead around in a circle.
    if (stat?.isDirectory()) reportGap({ file, line: null, what: "is a link to a folder, which isn't followed" });
    else if (stat !== undefined && isNamed) yield { file, changed: stat.mtime, bytes: stat.size };
  }
}

export function listTranscripts(folder: string, reportGap: ReportGap): fs.Dirent[] {
  const entries = attempt(folder, reportGap, () => fs.readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function statTranscript(file: string, reportGap: ReportGap): fs.Stats | undefined {
  return attempt(file, reportGap, () => fs.statSync(file, { throwIfNoEntry: false }));
}

function attempt<T>(file: string, reportGap: ReportGap, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (!hasCode(error, "ENOENT")) reportGap({ file, line: null, what: `cannot be read: ${error.message}` });
    return undefined;
  }
}
