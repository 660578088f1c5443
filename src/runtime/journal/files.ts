import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { JOURNAL, SEGMENT } from "../../contract/journal.ts";
import type { NotesLocation } from "../../hot/read-file.ts";
import { rotateJournal } from "./rotate.ts";
import { readTail, type Tail } from "./tail.ts";

/** Where a line is written, and which lines it binds. Everything here happens before any policy runs. */
export interface JournalFiles {
  journal: number;
  tail: Tail;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const APPEND = O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW;

/** Null: nothing can be written, which changes no verdict. */
export function openJournalFiles(place: NotesLocation, isRotated = false): JournalFiles | null {
  const { notes: home, key } = place;
  try {
    const journal = openSync(hookLayout.journal(home, key), APPEND | O_RDWR, 0o600);
    const stat = fstatSync(journal);
    const { size } = stat;
    const isFull = stat.isFile() && size >= JOURNAL.segment && !isRotated;
    if (!stat.isFile() || (isFull && rotateJournal(place, journal))) {
      closeSync(journal);
      return isFull ? openJournalFiles(place, true) : null;
    }
    return { journal, tail: size > 0 ? readTail(journal, size) : firstTail(place) };
  } catch {
    return null;
  }
}

export function closeJournalFiles({ journal }: JournalFiles): void {
  closeSync(journal);
}

/** What the first line of a new journal binds. */
function firstTail(place: NotesLocation): Tail {
  const former = findNewestSegment(place);
  if (former === null) return { at: 0, prev: JOURNAL.beginning, isTorn: false };
  const fd = openSync(former, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const { prev } = readTail(fd, fstatSync(fd).size);
  closeSync(fd);
  return { at: 0, prev, isTorn: false };
}

function findNewestSegment({ notes: home, key }: NotesLocation): string | null {
  const folder = hookLayout.project(home, key);
  const names = readdirSync(folder).filter((name) => SEGMENT.test(name));
  const newest = names.sort().at(-1);
  return newest === undefined ? null : `${folder}/${newest}`;
}
