import { ANSWERED, TEXT_FOLLOWS, WORD_OUTPUT } from "../../contract/hook-status.ts";
import type { Reply, Wire } from "../../hot/adapter/adapter.ts";
import { exitNow, killNow } from "../../hot/primordials.ts";
import { cleanText } from "../../hot/text.ts";
import { writeAll, writeSome, writeWhole } from "../../hot/write.ts";
import { readWire } from "../enter/event.ts";
import { type Journal, type JournaledEnd, writeJournal } from "../journal/journal.ts";
import { isConfined } from "../run/confined.ts";
import { REMOVAL } from "./present.ts";

/** The exit status that blocks a call, whatever the agent. */
const BLOCK = 2;

/** Where the event of one call comes from, and where its one answer goes. */
export interface Door {
  /** Throws a `BrokenEvent`. */
  wire: () => Wire;
  answer: (reply: Reply, journal: Journal | null, end: JournaledEnd) => void;
  /** Nobody has a say. */
  pass: () => void;
  /** Tells a person what no answer could say. */
  complain: (line: string) => void;
}

/** The door of a process that lives for one call. The file is where a large event lies, or is laid, on its way to another process. */
export function openDoor(eventFile: string): Door {
  // A launcher of an earlier version does not listen for the word. What is confined has started nothing that would be left behind.
  const end = eventFile !== "" && isConfined() ? endByWord : endByStatus;
  return {
    wire: () => readWire(eventFile),
    answer: ({ text }, journal, ruling) => {
      if (!isGiven(text)) return;
      if (journal !== null) writeJournal(journal, ruling);
      end();
    },
    pass: end,
    complain: (line) => {
      writeSome(2, line);
      endBlocking();
    },
  };
}

/** Says how this process ends before it does: who waits for it has not started it, and hears of no status. */
let isEndTold = false;

/**
 * The door of a process that was started before its call. The launcher copies what is said and waits for that only where it is told that there is
 * something.
 */
export function openAwaitedDoor(): Door {
  isEndTold = true;
  const door = openDoor("");
  return {
    wire: door.wire,
    answer: ({ text }, journal, ruling) => {
      if (text !== "") writeAll(WORD_OUTPUT, `${TEXT_FOLLOWS}\n`);
      if (!isGiven(text)) return;
      if (journal !== null) writeJournal(journal, ruling);
      endByWord();
    },
    pass: endByWord,
    complain: door.complain,
  };
}

function endByStatus(): void {
  exitNow(ANSWERED);
}

function endByWord(): void {
  try {
    if (writeWhole(WORD_OUTPUT, `${ANSWERED}`)) killNow();
  } catch {
    // Nobody listens: the status says the same.
  }
  endByStatus();
}

/** Gives the one answer of this process. One that cannot be given blocks. */
function isGiven(text: string): boolean {
  try {
    if (text !== "") writeAll(1, text);
    return true;
  } catch {
    blockBare("the answer could not be written, so the call is blocked");
    return false;
  }
}

/** The block of last resort, for a reason that is told to whoever reads the process's errors. */
export function blockBare(why: string): void {
  writeSome(2, `drwn: ${cleanText(why, 2_048)} ${REMOVAL}\n`);
  endBlocking();
}

function endBlocking(): void {
  if (isEndTold) writeSome(WORD_OUTPUT, `${BLOCK}\n`);
  exitNow(BLOCK);
}
