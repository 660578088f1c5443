import type { Host } from "../kernel/host.ts";
import { isColourful, makeStyle, type Style } from "./style.ts";

/** The only writer of the CLI wing. stdout carries data, stderr carries talk. */
export interface Console {
  style: Style;
  /** One line of the answer. */
  out(line?: string): void;
  /** One line beside the answer: notices, progress, errors. */
  talk(line?: string): void;
}

export function makeConsole(env: Host["env"]): Console {
  return {
    style: makeStyle(isColourful(process.stdout, env)),
    out: (line = "") => void process.stdout.write(`${line}\n`),
    talk: (line = "") => void process.stderr.write(`${line}\n`),
  };
}

/** Shows what long work is doing, on a terminal, once it takes longer than half a second. */
export function makeProgress(isQuiet: boolean): { show: (doing: string) => void; stop: () => void } {
  if (isQuiet || process.stderr.isTTY !== true) return { show: () => {}, stop: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let isShown = false;
  const clear = () => {
    clearTimeout(timer);
    if (isShown) process.stderr.write("\r\u001b[K");
    isShown = false;
  };
  return {
    show: (doing) => {
      clear();
      timer = setTimeout(() => {
        process.stderr.write(`\r\u001b[K${doing} …`);
        isShown = true;
      }, 500);
      timer.unref();
    },
    stop: clear,
  };
}
