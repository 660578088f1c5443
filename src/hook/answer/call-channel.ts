import { ANSWERED, STATUS_FD } from "../../contract/protocol.ts";
import type { Reply, Wire } from "../../hook-base/adapter/adapter.ts";
import { exitNow, killNow } from "../../hook-base/primordials.ts";
import { cleanText } from "../../hook-base/text.ts";
import { writeAll, writeSome, writeWhole } from "../../hook-base/write.ts";
import { readWire } from "../enter/event.ts";
import { type Journal, type JournaledVerdict, writeJournal } from "../journal/journal.ts";
import { isConfined } from "../run/confine.ts";
import { removalFor } from "./present.ts";

/** The exit status that blocks a call in every agent. */
const BLOCK = 2;

/** Where the event of one call comes from, and where its one answer goes. */
export interface CallChannel {
  /** Throws a `BrokenEvent`. */
  wire: () => Wire;
  answer: (reply: Reply, journal: Journal | null, end: JournaledVerdict) => void;
  /** No policy has a say: the call goes on. */
  letThrough: () => void;
  /** Tells a person what no answer could say. */
  complain: (line: string) => void;
}

/** The channel of a process that lives for one call. Without `home`, the home is a user's. */
export function openCallChannel(home?: string): CallChannel {
  // A confined process has started nothing that it could leave behind.
  const end = isConfined() ? endByWord : endByStatus;
  return {
    wire: readWire,
    answer: ({ text }, journal, ruling) => {
      if (!isGiven(text, { home })) return;
      if (journal !== null) writeJournal(journal, ruling);
      end();
    },
    letThrough: end,
    complain: (line) => {
      writeSome(2, line);
      exitNow(BLOCK);
    },
  };
}

function endByStatus(): void {
  exitNow(ANSWERED);
}

function endByWord(): void {
  try {
    if (writeWhole(STATUS_FD, `${ANSWERED}`)) killNow();
  } catch {
    // Nobody listens. The exit status says the same.
  }
  endByStatus();
}

/** Gives the one answer of this process. If it cannot be written, the call is blocked. */
function isGiven(text: string, { fd = 1, home }: { fd?: number; home?: string | undefined } = {}): boolean {
  try {
    if (text !== "") writeAll(fd, text);
    return true;
  } catch {
    blockAsLastResort("the answer could not be written, so the call is blocked", home);
    return false;
  }
}

/** The block of last resort. Its reason goes to standard error. */
export function blockAsLastResort(why: string, home?: string): void {
  writeSome(2, `drwn: ${cleanText(why, 2_048)} ${removalFor(home)}\n`);
  exitNow(BLOCK);
}
