import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { Advice, type CommandScope, sayIn, type Text } from "../../kernel/advice.ts";
import { hasCode } from "../../kernel/files.ts";
import { type Host, isTerminal, readEnvironment, stateFolder } from "../../kernel/host.ts";
import { clean, escapeForTerminal, escapeJsonForTerminal } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { prefersPlain } from "../../operations/preferences.ts";
import { cutTo, isColourful, makeStyle, type Style, shortenDigests, wrapLine } from "./style.ts";

/** The only writer of the CLI wing. stdout carries data, stderr carries talk. */
export interface Console {
  style: Style;
  /** What the command is about; its advice is for that. */
  scope: CommandScope;
  /** How long a line of stdout may be; 80 if it isn't a terminal, or the terminal doesn't say. */
  columns: number;
  /**
   * The same, but unlimited if stdout isn't a terminal: programs read it line by line, so it isn't laid out for a
   * screen.
   */
  room: number;
  /** Stdout is a terminal that somebody reads, not a program or a file. */
  isRead: boolean;
  /** One line of the answer; at a terminal, as several lines that fit. */
  out(line?: Text): void;
  /** Text that is printed as it is: code, or input for another program. */
  raw(text: string): void;
  /** The answer of `--json`. */
  json(value: unknown): void;
  /** One line beside the answer: notices, progress, errors. It is wrapped, too. */
  talk(line?: Text): void;
}

export function makeConsole(env: Host["env"], scope?: CommandScope): Console {
  return {
    style: makeStyle(isColourful(output.isTerminal(1), env)),
    scope,
    get columns() {
      return (output.isTerminal(1) && process.stdout.columns) || USUAL_COLUMNS;
    },
    get room() {
      return output.isTerminal(1) ? this.columns : Number.POSITIVE_INFINITY;
    },
    get isRead() {
      return output.isTerminal(1);
    },
    out: (line = "") => printLine(1, sayIn(scope, line)),
    raw: (text) => void output.write(1, `${escapeForTerminal(text)}\n`),
    json: (value) =>
      void output.write(
        1,
        `${escapeJsonForTerminal(JSON.stringify(value, (_, one: unknown) => (one instanceof Advice ? sayIn(scope, one) : one), 2))}\n`,
      ),
    talk: (line = "") => printLine(2, sayIn(scope, line)),
  };
}

export function talk(line = ""): void {
  printLine(2, line);
}

/** Prints a prompt; what a person types follows it on the same line. */
export function askOnLine(text: string): void {
  output.write(2, escapeForTerminal(text));
}

const USUAL_COLUMNS = 80;
/** Lines up to this width fit anyway, and asking for the terminal's width loads Node's streams. */
const NARROWEST = 60;
const WIDEST_CHARACTER = 2;

/** At a terminal it wraps the line and shortens digests to what a person needs; elsewhere the line stays as it is. */
function printLine(fd: OutputFd, text: string): void {
  const isShort = text.length * WIDEST_CHARACTER <= NARROWEST && !text.includes("\n");
  const lines = !isShort && output.isTerminal(fd) ? text.split("\n").flatMap((line) => fitLine(line, fd)) : [text];
  output.write(fd, `${escapeForTerminal(lines.join("\n"))}\n`);
}

function fitLine(line: string, fd: OutputFd): string[] {
  return wrapLine(isVerbose() ? line : shortenDigests(line), columnsOf(fd));
}

/** Looks at the typed words: a failure is also printed when no command is known. */
function isVerbose(): boolean {
  return process.argv.includes("--verbose");
}

function columnsOf(fd: OutputFd): number {
  return (fd === 1 ? process.stdout : process.stderr).columns || USUAL_COLUMNS;
}

const PATIENCE_MS = 500;
const REFRESH_MS = 100;

/**
 * Shows on a terminal what long work is doing, once it takes longer than half a second. Work that leaves timers no time
 * shows it whenever it says what it does next.
 */
export function makeProgress(isQuiet: boolean): { show: (doing: string) => void; stop: () => void } {
  if (isQuiet || !output.isTerminal(2) || isPlain()) return { show: () => {}, stop: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let due: number | undefined;
  let isShown = false;
  const write = (doing: string) => {
    output.write(2, `\r\u001b[K${cutTo(clean(doing), columnsOf(2) - " …".length - 1)} …`);
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

/** stdout or stderr. */
type OutputFd = 1 | 2;

/** Where all text of the CLI wing goes; one object, so that a test can listen. */
export const output = { write, isTerminal: (fd: OutputFd): boolean => isTerminal(fd) };

/** Avoids Node's own streams: they load its sockets, which takes half as long as an empty program. */
function write(fd: OutputFd, text: string): void {
  // A Windows console doesn't take UTF-8; Node's stream knows how to write to it.
  if (process.platform === "win32") (fd === 1 ? process.stdout : process.stderr).write(text);
  else writeAll(fd, Buffer.from(text));
}

/**
 * Writes all of it, even if the reader is slow and the descriptor doesn't block; stops without an error if nobody reads
 * any more. Talk on stderr that finds no room fails nothing.
 */
function writeAll(fd: OutputFd, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (hasCode(error, "EAGAIN")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else if (fd === 2 || hasCode(error, "EPIPE")) return;
      else throw error;
    }
  }
}

/** What the exit code of every command means. */
export const EXIT = {
  done: 0,
  problem: 1,
  usage: 2,
  /** doctor, `--check` or `--strict` found something. */
  found: 3,
  /** A bug of ours: EX_SOFTWARE of sysexits(3). */
  bug: 70,
} as const;

/** What a command answers: the value for `--json`, the lines for a person, and how it ended. */
export interface CommandAnswer {
  json: unknown;
  /** Prints the answer for a person; if it comes bit by bit, then as it comes. */
  print(console: Console): void | Promise<void>;
  /** One of EXIT; `done` when absent. */
  exitCode?: number;
}

/** Whether nothing may be redrawn: the terminal cannot, or a screen reader would say it again. */
export function isPlain(): boolean {
  const env = readEnvironment();
  if (env["TERM"] === "dumb") return true;
  const home = stateFolder(env);
  return home !== undefined && prefersPlain(home);
}

/** Shows many lines: on a terminal through $PAGER or less; else on stderr like any other talk. */
export function pageLines(lines: readonly string[], { host, console }: { host: Host; console: Console }): void {
  const pager = host.env["PAGER"] ?? (isPlain() ? "" : "less");
  if (pager === "" || !output.isTerminal(1) || !runPager(pager, lines, host.env)) {
    for (const line of lines) console.talk(line);
  }
}

/** Returns false if the pager could not be used: then nobody has seen anything. */
function runPager(pager: string, lines: readonly string[], env: Host["env"]): boolean {
  const ended = traceProcess("/bin/sh", ["-c", pager]);
  const { status, error } = spawnSync("/bin/sh", ["-c", pager], {
    input: `${lines
      .flatMap((line) => fitLine(line, 1))
      .map(escapeForTerminal)
      .join("\n")}\n`,
    stdio: ["pipe", "inherit", "inherit"],
    // As in git: less shows colours, and ends by itself if everything fits.
    env: { LESS: "FRX", ...env },
  });
  ended(status);
  return error === undefined && status === 0;
}
