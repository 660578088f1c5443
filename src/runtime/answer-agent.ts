import type { Reply } from "../agents/adapter.ts";
import { type Journal, type JournaledEnd, writeJournal } from "./journal.ts";
import { exitNow } from "./primordials.ts";
import { writeAll, writeSome } from "./write.ts";

/** The exit status that blocks a call, whatever the agent. */
const BLOCK = 2;

/** Gives the one answer of this process, notes it, and ends the process. An answer that cannot be given blocks. */
export function answerAgent({ text }: Reply, journal: Journal | null, end: JournaledEnd): void {
  try {
    if (text !== "") writeAll(1, text);
  } catch {
    blockBare("drwn: the answer could not be written, so the call is blocked\n");
    return;
  }
  if (journal !== null) writeJournal(journal, end);
  exitNow(0);
}

/** The block of last resort. */
export function blockBare(line: string): void {
  writeSome(2, line);
  exitNow(BLOCK);
}
