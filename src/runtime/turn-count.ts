import { constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { layout } from "../contract/layout.ts";
import { digestOf } from "./digest.ts";
import type { Place } from "./read-file.ts";
import { writeSome } from "./write.ts";

/** As often in a row may hooks keep one turn going; some agents would go on for ever. */
const MOST_HOLDS = 8;

/** How often hooks have kept this turn of this session going. */
export interface TurnCount {
  held: number;
  isContinued: boolean;
  /** Its size is the count; null: it cannot be kept. */
  fd: number | null;
}

/** Opened before any policy runs. A turn that begins anew is counted from the start. */
export function openTurnCount(
  { home, key }: Place,
  { isContinued, session }: { isContinued: boolean; session: string },
): TurnCount {
  try {
    const file = layout.turn(home, key, digestOf(Buffer.from(session)).slice("sha256-".length));
    const flags =
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = openSync(file, flags, 0o600);
    if (!isContinued) ftruncateSync(fd, 0);
    return { held: fstatSync(fd).size, isContinued, fd };
  } catch {
    // What cannot be counted is held once and no more.
    return { held: isContinued ? MOST_HOLDS : 0, isContinued, fd: null };
  }
}

/** Whether the turn may be kept going once more. A hook that does not work gets no second try. */
export function mayHoldTurn({ held, isContinued }: TurnCount, { isFailure }: { isFailure: boolean }): boolean {
  return held < MOST_HOLDS && !(isFailure && isContinued);
}

export function noteHold({ fd }: TurnCount): void {
  if (fd !== null) writeSome(fd, ".");
}
