import { constants, fstatSync, ftruncateSync as nodeFtruncateSync, openSync } from "node:fs";
import { layout } from "../../contract/layout.ts";
import { digestOfFile } from "../../hot/digest.ts";
import { getField } from "../../hot/primordials.ts";
import type { NotesPlace } from "../../hot/read-file.ts";
import { writeSome } from "../../hot/write.ts";

// Taken while it is Node's own: it is called after policies ran.
const ftruncateSync = nodeFtruncateSync;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const COUNT = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
const LOOK = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** As often in a row may hooks keep one turn going; some agents would go on for ever. */
export const MOST_HOLDS = 8;

/** Where the agent does not say whether a turn was kept going: what is held again after so long is another turn, too. */
const SAME_TURN_MS = 10 * 60 * 1000;

/** How often hooks have kept this turn of this session going. */
export interface TurnCount {
  held: number;
  isContinued: boolean | null;
  /** Its size is the count; null: it cannot be kept. */
  fd: number | null;
}

/** Opened before any policy runs. A turn that begins anew is counted from the start; one that is only explained is left alone. */
export function openTurnCount(
  { notes: home, key, isExplained }: NotesPlace & { isExplained: boolean },
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
    // What cannot be counted is held once and no more.
    return { held: isContinued === false ? 0 : MOST_HOLDS, isContinued, fd: null };
  }
}

/** Whether the turn may be kept going once more. A hook that does not work gets no second try. */
export function mayHoldTurn({ held, isContinued }: TurnCount, { isFailure }: { isFailure: boolean }): boolean {
  return held < MOST_HOLDS && !(isFailure && (isContinued ?? held > 0));
}

export function noteHold({ fd }: TurnCount): void {
  if (fd !== null) writeSome(fd, ".");
}

/** The turn ends. Of an agent that does not say whether one was kept going, what ends next is another turn. */
export function noteEnd({ fd, isContinued }: TurnCount): void {
  if (fd !== null && isContinued === null) ftruncateSync(fd, 0);
}
