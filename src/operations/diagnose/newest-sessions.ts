import fs from "node:fs";
import type { TranscriptFile } from "../../agents/transcript/call.ts";
import { openRegular } from "../../kernel/read-file.ts";

interface Limits {
  sessions: number;
  /** How many of the newest transcripts of this machine are looked at for them. */
  transcripts: number;
}

interface Listed {
  files: Iterable<TranscriptFile>;
  /** In milliseconds. */
  since: number;
}

/** The transcripts of these folders that changed last, by the list that they are from. */
export function findNewest(
  lists: readonly Listed[],
  folders: readonly string[],
  { sessions, transcripts }: Limits,
): ReadonlyMap<Iterable<TranscriptFile>, TranscriptFile[]> {
  const recent = lists.flatMap(({ files, since }) =>
    [...files].flatMap((file) => (file.changed.getTime() < since ? [] : [{ files, file }])),
  );
  const chosen = new Map(lists.map(({ files }): [Iterable<TranscriptFile>, TranscriptFile[]] => [files, []]));
  let left = sessions;
  const newest = recent.sort((a, b) => b.file.changed.getTime() - a.file.changed.getTime());
  for (const { files, file } of newest.slice(0, transcripts)) {
    if (left === 0) break;
    if (!mayBeOf(file.file, folders)) continue;
    chosen.get(files)?.push(file);
    left -= 1;
  }
  return chosen;
}

const LOOKED_AT = 32 * 1024;

/**
 * Whether a transcript may be of a session in one of the folders, without reading it: agents name the folder at the
 * beginning and in each line, or beside the sessions. A database holds the sessions of all folders.
 */
function mayBeOf(file: string, folders: readonly string[]): boolean {
  const named = folders.map((folder) => JSON.stringify(folder).slice(1, -1));
  if (file.endsWith(".db")) return true;
  try {
    const fd = openRegular(file);
    if (fd === undefined) return false;
    try {
      const { size } = fs.fstatSync(fd);
      const text = [0, Math.max(0, size - LOOKED_AT)].map((at) => readAt(fd, at)).join("\n");
      return named.some((folder) => text.includes(folder)) || text.includes('"projectHash"');
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // The reader says what is wrong with it.
    return true;
  }
}

function readAt(fd: number, at: number): string {
  const bytes = Buffer.alloc(LOOKED_AT);
  return bytes.toString("utf8", 0, fs.readSync(fd, bytes, 0, bytes.length, at));
}
