import type { Reply, Wire } from "../agents/adapter.ts";
import { ANSWERED } from "../contract/hook-status.ts";
import { readWire } from "./event.ts";
import { type Journal, type JournaledEnd, writeJournal } from "./journal.ts";
import { REMOVAL } from "./present.ts";
import { exitNow } from "./primordials.ts";
import { cleanText } from "./text.ts";
import { writeAll, writeSome } from "./write.ts";

/** The exit status that blocks a call, whatever the agent. */
const BLOCK = 2;

/** Where the event of one call comes from, and where its one answer goes. */
export interface Door {
  /** Throws a `BrokenEvent`. */
  wire: () => Wire;
  answer: (reply: Reply, journal: Journal | null, end: JournaledEnd) => void;
  /** Nobody has a say. */
  pass: () => void;
  /** Tells a person, where there is no answer that could say it. */
  complain: (line: string) => void;
}

/** The door of a process that lives for one call. */
export const PROCESS_DOOR: Door = {
  wire: readWire,
  answer: answerAgent,
  pass: () => exitNow(ANSWERED),
  complain: (line) => {
    writeSome(2, line);
    exitNow(BLOCK);
  },
};

/** Gives the one answer of this process, notes it, and ends the process. An answer that cannot be given blocks. */
function answerAgent({ text }: Reply, journal: Journal | null, end: JournaledEnd): void {
  try {
    if (text !== "") writeAll(1, text);
  } catch {
    blockBare("the answer could not be written, so the call is blocked");
    return;
  }
  if (journal !== null) writeJournal(journal, end);
  exitNow(ANSWERED);
}

/** The block of last resort, for a reason that is told to whoever reads the process's errors. */
export function blockBare(why: string): void {
  writeSome(2, `drwn: ${cleanText(why, 2_048)} ${REMOVAL}\n`);
  exitNow(BLOCK);
}
