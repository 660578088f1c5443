import { constants, fstatSync, ftruncateSync as nodeFtruncateSync, openSync } from "node:fs";
import { layout } from "../../contract/layout.ts";
import { digestOfFile } from "../../hook-base/digest.ts";
import { getField } from "../../hook-base/primordials.ts";
import type { NotesLocation } from "../../hook-base/read-file.ts";
import { writeSome } from "../../hook-base/write.ts";

// Taken before policies can replace it, because it is called after they ran.
const ftruncateSync = nodeFtruncateSync;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const COUNT = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
const LOOK = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** How many times in a row hooks may keep one turn going; some agents would go on for ever. */
export const MOST_HOLDS = 8;

/** If the agent does not say whether a turn was kept going, a hold after this long counts as another turn's. */
const SAME_TURN_MS = 10 * 60 * 1000;

/** How often hooks have kept this turn of this session going. */
export interface TurnCount {
  held: number;
  isContinued: boolean | null;
  /** The size of this file is the count; null: no count can be kept. */
  fd: number | null;
}

/**
 * Called before any policy runs. A new turn is counted from zero; when a call is only explained, the count stays as it
 * is.
 */
export function openTurnCount(
  { notes: home, key, isExplained }: NotesLocation & { isExplained: boolean },
  { isContinued, session }: { isContinued: boolean | null; session: string },
): TurnCount {
  try {
    const file = layout.turn(home, key, digestOfFile(Buffer.from(session)).slice("sha256-".length));
    const fd = openSync(file, isExplained ? LOOK : COUNT, 0o600);
    const { size, mtimeMs } = fstatSync(fd);
    const isNew = isContinued === null ? Date.now() - mtimeMs > SAME_TURN_MS : !isContinued;
    if (isNew && !isExplained) ftruncateSync(fd, 0);
    return { held: isNew ? 0 : size, isContinued, fd: isExplained ? null : fd };
  } catch (error) {
    if (isExplained && getField(error as object, "code") === "ENOENT") return { held: 0, isContinued, fd: null };
    // A turn that cannot be counted is held at most once.
    return { held: isContinued === false ? 0 : MOST_HOLDS, isContinued, fd: null };
  }
}

/** Whether the turn may be kept going once more. A failing hook may do so only once. */
export function mayHoldTurn({ held, isContinued }: TurnCount, { isFailure }: { isFailure: boolean }): boolean {
  return held < MOST_HOLDS && !(isFailure && (isContinued ?? held > 0));
}

export function noteHold({ fd }: TurnCount): void {
  if (fd !== null) writeSome(fd, ".");
}

/** The turn ends. If the agent does not say whether a turn was kept going, the next end is another turn's. */
export function noteEnd({ fd, isContinued }: TurnCount): void {
  if (fd !== null && isContinued === null) ftruncateSync(fd, 0);
}
