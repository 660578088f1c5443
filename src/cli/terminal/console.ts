import type { Host } from "../../kernel/host.ts";
import { clean, guardJson, guardTerminal } from "../../kernel/text.ts";
import { output } from "./output.ts";
import { isColourful, makeStyle, type Style } from "./style.ts";

/** The only writer of the CLI wing. stdout carries data, stderr carries talk. */
export interface Console {
  style: Style;
  /** How long a line of stdout may be; 80 where it isn't a terminal, or one that does not say. */
  columns: number;
  /** The same of stderr; null: it isn't a terminal. */
  talkColumns: number | null;
  /** One line of the answer. */
  out(line?: string): void;
  /** The answer of `--json`. */
  json(value: unknown): void;
  /** One line beside the answer: notices, progress, errors. */
  talk(line?: string): void;
}

export function makeConsole(env: Host["env"]): Console {
  return {
    style: makeStyle(isColourful(output.isTerminal(1), env)),
    get columns() {
      return (output.isTerminal(1) && process.stdout.columns) || 80;
    },
    get talkColumns() {
      return output.isTerminal(2) ? process.stderr.columns || 80 : null;
    },
    out: (line = "") => void output.write(1, `${guardTerminal(line)}\n`),
    json: (value) => void output.write(1, `${guardJson(JSON.stringify(value, null, 2))}\n`),
    talk: (line = "") => void output.write(2, `${guardTerminal(line)}\n`),
  };
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
