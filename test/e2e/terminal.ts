import { spawn, spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { ProcessRequest } from "./process.ts";

const LOOK_MS = 50;
const LOOKS_AT_REST = 20;
/** Longer than a program on a busy machine needs for a key. A key that it has read isn't for its next question. */
const AGAIN_MS = 10_000;
const PATIENCE_MS = 60_000;
/** Wide, so that no sentence is wrapped. */
const WIDE = { rows: 60, columns: 220 };

/** A real program in a terminal, as a person in front of it sees it. */
export interface Terminal {
  /** Waits until this was shown since the last key. Spaces don't count, since programs jump over them. */
  shows: (text: string) => Promise<void>;
  /**
   * Waits until something was shown since the last key, and nothing more for a while. Not for a program that shows how
   * busy it is.
   */
  rests: () => Promise<void>;
  /**
   * Presses the keys again while the program shows nothing: it may not have read yet, and some programs throw away what
   * came before their question.
   */
  press: (keys: string) => void;
  /** Everything that was shown, without movements and colours. */
  said: () => string;
  /** Everything that was sent to the terminal. */
  sent: () => string;
  leave: () => Promise<void>;
}

/** Why there is no terminal here; undefined: there is one. `script` of util-linux is on every Debian. */
export function whyNoTerminal(): string | undefined {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return stdout?.includes("util-linux") ? undefined : "there is no `script` of util-linux, which opens terminals";
}

export function openTerminal({ program, args, cwd, env }: ProcessRequest, size = WIDE, againMs = AGAIN_MS): Terminal {
  const quoted = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn(
    "script",
    ["-qfc", `echo "pid $$."; stty rows ${size.rows} cols ${size.columns}; exec ${quoted}`, "/dev/null"],
    {
      cwd,
      env: { PATH: process.env["PATH"], TERM: "xterm-256color", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const seen = { all: "", since: 0, answered: 0 };
  let again: NodeJS.Timeout | undefined;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    seen.all += chunk;
    clearInterval(again);
    // A question may come in two pieces.
    for (const { answer, end } of askedIn(seen.all, seen.answered)) {
      seen.answered = end;
      child.stdin.write(answer);
    }
  });
  const closed = new Promise<void>((resolve) => {
    child.on("close", () => {
      clearInterval(again);
      resolve();
    });
  });
  return {
    said: () => plain(seen.all),
    sent: () => seen.all,
    shows: (text) => waitFor(text, () => plain(seen.all.slice(seen.since))),
    rests: () => waitForRest(() => seen.all.length - seen.since),
    press: (keys) => {
      seen.since = seen.all.length;
      child.stdin.write(keys);
      clearInterval(again);
      again = setInterval(() => child.stdin.write(keys), againMs);
    },
    leave: async () => {
      const pid = /pid (\d+)\./u.exec(seen.all)?.[1];
      if (pid !== undefined) endGroup(Number(pid));
      await closed;
    },
  };
}

/** Ends what a session started, even if it has just ended by itself. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** A terminal's answers to each question after this place about the cursor's position and the terminal's abilities. */
function askedIn(shown: string, from: number): { answer: string; end: number }[] {
  return [...shown.slice(from).matchAll(/\u001b\[(?:6n|0?c)/gu)].map(({ 0: question, index }) => ({
    answer: question.endsWith("n") ? "\u001b[1;1R" : "\u001b[?62;22c",
    end: from + index + question.length,
  }));
}

async function waitFor(text: string, shown: () => string): Promise<void> {
  const wanted = text.replaceAll(/\s+/gu, "");
  for (const started = Date.now(); !shown().replaceAll(/\s+/gu, "").includes(wanted); ) {
    if (Date.now() - started > PATIENCE_MS) throw new Error(`the terminal does not show "${text}":\n${shown()}`);
    await wait(LOOK_MS);
  }
}

async function waitForRest(measure: () => number): Promise<void> {
  const started = Date.now();
  for (let [length, quiet] = [measure(), 0]; quiet < LOOKS_AT_REST; ) {
    await wait(LOOK_MS);
    quiet = measure() > 0 && measure() === length ? quiet + 1 : 0;
    length = measure();
    if (Date.now() - started > PATIENCE_MS) throw new Error("the terminal shows nothing, or does not come to rest");
  }
}

function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/gu, ""));
}
