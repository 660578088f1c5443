import { type Host, stateFolder } from "../../kernel/host.ts";
import { clean, guardJson, guardTerminal } from "../../kernel/text.ts";
import { preferredColour } from "../../operations/preferences.ts";
import { type OutputFd, output } from "./output.ts";
import { isColourful, makeStyle, type Style } from "./style.ts";
import { wrapLine } from "./wrap.ts";

/** The only writer of the CLI wing. stdout carries data, stderr carries talk. */
export interface Console {
  style: Style;
  /** How long a line of stdout may be; 80 where it isn't a terminal, or one that does not say. */
  columns: number;
  /** Somebody reads stdout at a terminal, and not a program or a file. */
  isRead: boolean;
  /** The same of stderr. */
  isHeard: boolean;
  /** One line of the answer; at a terminal several, that fit. */
  out(line?: string): void;
  /** Text that is taken as it is: code, or what another program reads. */
  raw(text: string): void;
  /** The answer of `--json`. */
  json(value: unknown): void;
  /** One line beside the answer: notices, progress, errors. It fits as well. */
  talk(line?: string): void;
}

export function makeConsole(env: Host["env"]): Console {
  return {
    style: makeStyle(isWanted(env)),
    get columns() {
      return (output.isTerminal(1) && process.stdout.columns) || USUAL_COLUMNS;
    },
    get isRead() {
      return output.isTerminal(1);
    },
    get isHeard() {
      return output.isTerminal(2);
    },
    out: (line = "") => printLine(1, line),
    raw: (text) => void output.write(1, `${guardTerminal(text)}\n`),
    json: (value) => void output.write(1, `${guardJson(JSON.stringify(value, null, 2))}\n`),
    talk: (line = "") => printLine(2, line),
  };
}

function isWanted(env: Host["env"]): boolean {
  const home = stateFolder(env);
  const preferred = home === undefined ? "auto" : preferredColour(home);
  return preferred === "auto" ? isColourful(output.isTerminal(1), env) : preferred === "always";
}

const USUAL_COLUMNS = 80;
/** What is no longer fits anyway: asking for the width loads Node's streams. */
const NARROWEST = 60;

/** At a terminal in lines that fit; elsewhere a line stays one. */
function printLine(fd: OutputFd, text: string): void {
  const isShort = text.length <= NARROWEST && !text.includes("\n");
  const lines =
    !isShort && output.isTerminal(fd) ? text.split("\n").flatMap((line) => wrapLine(line, columnsOf(fd))) : [text];
  output.write(fd, `${guardTerminal(lines.join("\n"))}\n`);
}

function columnsOf(fd: OutputFd): number {
  return (fd === 1 ? process.stdout : process.stderr).columns || USUAL_COLUMNS;
}

const PATIENCE_MS = 500;
const REFRESH_MS = 100;

/**
 * Shows what long work is doing, on a terminal, once it takes longer than half a second. Work that leaves no time to
 * timers shows it as well, each time that it says what it does next.
 */
export function makeProgress(isQuiet: boolean): { show: (doing: string) => void; stop: () => void } {
  if (isQuiet || !output.isTerminal(2)) return { show: () => {}, stop: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let due: number | undefined;
  let isShown = false;
  const write = (doing: string) => {
    output.write(2, `\r\u001b[K${clean(doing)} …`);
    isShown = true;
    due = performance.now() + REFRESH_MS;
  };
  const erase = () => {
    if (isShown) output.write(2, "\r\u001b[K");
    isShown = false;
  };
  return {
    show: (doing) => {
      clearTimeout(timer);
      if (doing === "") {
        erase();
        return;
      }
      const now = performance.now();
      due ??= now + PATIENCE_MS;
      if (now >= due) write(doing);
      else timer = setTimeout(() => write(doing), due - now).unref();
    },
    stop: () => {
      clearTimeout(timer);
      erase();
    },
  };
}
