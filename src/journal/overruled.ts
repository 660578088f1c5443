import { layout } from "../contract/layout.ts";
import { createAtomic } from "../kernel/atomic.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { type JournalLine, parseLine } from "./line.ts";
import { listSegments, readSegment } from "./segments.ts";

interface JournalOfProject {
  home: string;
  key: string;
}

const FIELD = '"overruled":"';
const LINE_BREAK = 0x0a;

/**
 * The calls that were denied and ran all the same, oldest first. It parses only such lines, since every `status` needs
 * them.
 */
function listOverruled({ home, key }: JournalOfProject): JournalLine[] {
  const lines: JournalLine[] = [];
  for (const { file } of listSegments(home, key)) {
    const bytes = readSegment(file);
    for (let at = bytes.indexOf(FIELD); at >= 0; at = bytes.indexOf(FIELD, at + 1)) {
      const end = bytes.indexOf(LINE_BREAK, at);
      const line = parseLine(bytes.toString("utf8", bytes.lastIndexOf(LINE_BREAK, at) + 1, end < 0 ? undefined : end));
      if (line?.overruled !== undefined) lines.push(line);
    }
  }
  return lines;
}

/** The ones that no person has seen. `overruled`: all such calls, from a caller that has read the journal. */
export function listUnseen(
  place: JournalOfProject,
  overruled: readonly JournalLine[] = listOverruled(place),
): JournalLine[] {
  if (overruled.length === 0) return [];
  const seen = readSeen(place);
  return overruled.filter(({ hash }) => !seen.has(hash));
}

/** Notes that a person has seen these lines, and forgets those that the journal no longer has. */
export function markSeen(place: JournalOfProject, lines: readonly JournalLine[]): void {
  if (lines.length === 0) return;
  const seen = new Set([...readSeen(place), ...lines.map(({ hash }) => hash)]);
  const kept = listOverruled(place).filter(({ hash }) => seen.has(hash));
  createAtomic(layout.overruledSeen(place.home, place.key), kept.map(({ hash }) => `${hash}\n`).join(""));
}

function readSeen({ home, key }: JournalOfProject): Set<string> {
  return new Set((readIfThere(layout.overruledSeen(home, key)) ?? "").toString().split("\n"));
}
