import { ANSWERED, HANDED_ON, LINE, TEXT_FOLLOWS, WORD_OUTPUT } from "../../contract/hook-status.ts";
import type { Reply, Wire } from "../../hot/adapter/adapter.ts";
import { byteLength, exitNow, killNow, matchFrom } from "../../hot/primordials.ts";
import { BrokenEvent } from "../../hot/read-input.ts";
import { cleanText } from "../../hot/text.ts";
import { writeAll, writeSome, writeWhole } from "../../hot/write.ts";
import { layPassedOnAside, type PassedOn, readPassedOn, readWire } from "../enter/event.ts";
import { type Journal, type JournaledEnd, writeJournal } from "../journal/journal.ts";
import { isConfined } from "../run/confined.ts";
import { removalFor } from "./present.ts";

const LONGEST_LINE = 1_024;

/** The exit status that blocks a call in every agent. */
const BLOCK = 2;

/** Where the event of one call comes from, and where its one answer goes. */
export interface Door {
  /** Throws a `BrokenEvent`. */
  wire: () => Wire;
  answer: (reply: Reply, journal: Journal | null, end: JournaledEnd) => void;
  /** No policy has a say: the call goes on. */
  pass: () => void;
  /** Tells a person what no answer could say. */
  complain: (line: string) => void;
  /** Leaves the event to another process that the launcher starts; absent if the launcher still has the event. */
  handOn?: () => void;
}

/**
 * The door of a process that lives for one call. `eventFile` is where a process before this one may have left the
 * event, or "-". Without `home`, the home is a user's.
 */
export function openDoor(eventFile: string, home?: string): Door {
  // A launcher of an earlier version doesn't listen for the word. A confined process has started nothing that it could
  // leave behind.
  const end = eventFile !== "" && isConfined() ? endByWord : endByStatus;
  return {
    wire: () => readWire(eventFile),
    answer: ({ text }, journal, ruling) => {
      if (!isGiven(text, { home })) return;
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

/**
 * A process that was started before its call puts this word before everything it tells the launcher; null: it was
 * started for the call.
 */
let wordOfCall: string | null = null;

/** How a process that waited for a call gets its event. */
interface Passing extends PassedOn {
  endUnlessGoing: () => void;
}

/**
 * The door of a process that was started before its call. The launcher passes on as many bytes as it announces, and
 * sees no exit status.
 */
export function openAwaitedDoor({ endUnlessGoing, ...passed }: Passing): Door {
  const { word } = passed;
  wordOfCall = word;
  return {
    wire: () => {
      endUnlessGoing();
      return readPassedOn(passed) ?? endHandedOn();
    },
    handOn: () => {
      endUnlessGoing();
      layPassedOnAside(passed);
      endHandedOn();
    },
    complain: openDoor("").complain,
    answer: ({ text }, journal, ruling) => {
      if (!isPassedOn(word, text)) return;
      if (journal !== null) writeJournal(journal, ruling);
      endAwaited();
    },
    pass: endAwaited,
  };
}

function isPassedOn(word: string, text: string): boolean {
  if (text === "") return true;
  if (isLine(text)) return isGiven(`${word} ${LINE} ${text}`, { fd: WORD_OUTPUT });
  tellLauncher(`${TEXT_FOLLOWS} ${byteLength(text)}`);
  return isGiven(`${word}\n${text}`);
}

/**
 * Whether a shell can read this text unchanged. A shell reads byte by byte, so a program is faster for longer texts.
 */
function isLine(text: string): boolean {
  return text.length <= LONGEST_LINE && matchFrom(/^\{[ -~]*\}\n$/gu, text, 0) !== null;
}

function endHandedOn(): never {
  tellLauncher(`${HANDED_ON}`);
  exitNow(HANDED_ON);
  throw new BrokenEvent("is for another process");
}

function endAwaited(): void {
  tellLauncher(`${ANSWERED}`);
  killNow();
}

function tellLauncher(what: string): void {
  if (wordOfCall !== null) writeSome(WORD_OUTPUT, `${wordOfCall} ${what}\n`);
}

function endByStatus(): void {
  exitNow(ANSWERED);
}

function endByWord(): void {
  try {
    if (writeWhole(WORD_OUTPUT, `${ANSWERED}`)) killNow();
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
    blockBare("the answer could not be written, so the call is blocked", home);
    return false;
  }
}

/** The block of last resort. Its reason goes to standard error. */
export function blockBare(why: string, home?: string): void {
  writeSome(2, `drwn: ${cleanText(why, 2_048)} ${removalFor(home)}\n`);
  endBlocking();
}

function endBlocking(): void {
  tellLauncher(`${BLOCK}`);
  exitNow(BLOCK);
}
