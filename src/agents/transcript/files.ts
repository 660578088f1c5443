import fs from "node:fs";
import path from "node:path";
import type { TranscriptFile } from "./call.ts";

/** Deeper than any agent puts its transcripts. */
const DEEPEST = 8;

/** The files below a folder whose names match, in the order of their paths. What cannot be listed or is gone again is passed over. */
export function* findTranscripts(folder: string, name: RegExp, depth = 0): Generator<TranscriptFile> {
  for (const entry of entriesOf(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth < DEEPEST) yield* findTranscripts(file, name, depth + 1);
      continue;
    }
    const stat = name.test(entry.name) ? fs.statSync(file, { throwIfNoEntry: false }) : undefined;
    if (stat !== undefined) yield { file, changed: stat.mtime, bytes: stat.size };
  }
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    const entries = fs.readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}
