import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { removeTree } from "../../src/kernel/files.ts";
import { openTerminal } from "../e2e/terminal.ts";
import { newPerson, type TestPerson } from "../support/people.ts";
import { type Size, screenOf } from "./screen.ts";

/** As long as the place that it stands for: what is wrapped depends on it. */
const HOME = "/home/ada.lovelace";
const PATIENCE_MS = 60_000;
const PROMPT = "$ ";

export interface Look {
  columns: 80 | 120;
  isColoured: boolean;
  isPlain?: boolean;
}

/** A shell in a real terminal, with somebody in front of it. */
export interface Session {
  /** A line, once the shell waits for one. */
  type: (line: string) => Promise<void>;
  /** Keys, once the program shows this. */
  press: (keys: string, shown: string) => Promise<void>;
  /** What the terminal shows in the end, and has shown, without what differs from run to run. */
  screen: () => Promise<string>;
  /** All that was sent to the terminal since the first line was typed. */
  sent: () => string;
}

/** Somebody whose places have the same length on every machine. */
export function personOfJourney(): TestPerson {
  const base = fs.realpathSync(fs.mkdtempSync("/tmp/person-"));
  onTestFinished(() => removeTree(base));
  return newPerson(base);
}

export function openSession({ project, home, env }: TestPerson, { columns, isColoured, isPlain }: Look): Session {
  const size: Size = { rows: 50, columns };
  const look = { ...(isColoured ? {} : { NO_COLOR: "1" }), ...(isPlain === true ? { TERM: "dumb" } : {}) };
  const terminal = openTerminal(
    { program: "sh", args: ["-i"], cwd: project, env: { ...env, ...look, PS1: PROMPT, LANG: "C.UTF-8", TZ: "UTC" } },
    size,
  );
  onTestFinished(() => terminal.leave());
  // What was shown before the last line was typed has a prompt of its own at its end.
  let typed = 0;
  const waitsForLine = async () => {
    for (const began = Date.now(); !/(?:^|[\r\n])\$ $/u.test(terminal.said().slice(typed)); await wait(20)) {
      if (Date.now() - began > PATIENCE_MS) throw new Error(`the shell does not wait for a line:\n${terminal.said()}`);
    }
  };
  const sent = () => terminal.sent().slice(terminal.sent().indexOf(PROMPT));
  return {
    type: async (line) => {
      await waitsForLine();
      typed = terminal.said().length;
      terminal.press(`${line}\n`);
    },
    press: async (keys, shown) => {
      await terminal.shows(shown);
      terminal.press(keys);
    },
    sent,
    screen: async () => {
      await waitsForLine();
      const shown = await screenOf(steady(sent(), path.dirname(home)), size, isColoured);
      return shown.replace(/\n\$\s*$/u, "\n");
    },
  };
}

/** How many cases and lines a card of the catalogue has isn't what a person looks at either. */
const nines = (found: string) => found.replaceAll(/\d/gu, "9");

/** Each in as many characters as it has. */
function steady(text: string, base: string): string {
  const same = (by: string) => (found: string) => by.repeat(found.length);
  return (
    text
      .replaceAll(base, HOME)
      .replaceAll(/(?<=sha512-|ed25519:|sha256-)[\w+/=-]{6,}/gu, same("x"))
      .replaceAll(/(?<=^|\W|\u001b\[[\d;?]*[A-Za-z])(?:[0-9a-f]{64}|[0-9a-f]{12}|[0-9a-f]{8})\b/gmu, same("x"))
      .replaceAll(/\d{4}-\d\d-\d\d(?=[T ])/gu, "2026-01-31")
      .replaceAll(/\d\d:\d\d:\d\d(?:\.\d{3})?/gu, (found) => "12:00:00.000".slice(0, found.length))
      .replaceAll(/(?<=(?:in |asked, )(?:\u001b\[\d+m)?)\d+(?:\.\d+)?(?= ms\b)/gu, "N")
      // Where such a line ends depends on the time in it.
      .replaceAll(
        /(?<=(?:allow|ask|deny|none)(?:\u001b\[\d+m)*)\s+((?:\u001b\[\d+m)*)\d+(?:\.\d+)?\s+ms\b/gu,
        "  $1N ms",
      )
      .replaceAll(/(?<= files?, )\d+(?= bytes\b)/gu, same("9"))
      .replaceAll(
        /\d+ cases: \d+ refused, \d+ let through(?:; \d+ files, \d+ lines)?|Code: \d+ files, \d+ lines/gu,
        nines,
      )
      .replaceAll(/(?<=(?:and|wrote) )\d+ files?(?= of drwn's own)/gu, "N files")
      .replaceAll(/\bNode v?\d+\.\d+\.\d+/gu, "Node 20.20.2")
      .replaceAll(/\S+-\S+ node-v\d+\.\d+\.\d+/gu, "linux-x64 node-v20.20.2")
  );
}
