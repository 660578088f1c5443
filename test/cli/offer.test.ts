import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTerminal, type Terminal, whyNoTerminal } from "../e2e/terminal.ts";
import { temporaryFolder } from "../support/cards.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/drwn.js");

interface Person {
  drwn: (line: string) => { status: number | null; stdout: string };
  /** The same at a terminal. */
  open: (line: string) => Terminal;
}

/** In a project with the cards @me/one and @me/two, whose hooks wait for a consent. */
function personWithTwoCards(): Person {
  const home = fs.realpathSync(temporaryFolder());
  const cwd = path.join(home, "project");
  fs.mkdirSync(cwd);
  const env = { HOME: home };
  const args = (line: string) => [BIN, ...line.split(" ")];
  const drwn: Person["drwn"] = (line) => {
    const options = { cwd, env: { ...env, PATH: process.env["PATH"] }, encoding: "utf8" } as const;
    const { status, stdout } = spawnSync(process.execPath, args(line), options);
    return { status, stdout };
  };
  for (const card of ["@me/one", "@me/two"]) {
    for (const verb of ["card new", "card source add-hook", "card publish"]) {
      expect(drwn(`${verb} ${card}${verb.endsWith("hook") ? " guard" : ""}`).status).toBe(0);
    }
  }
  for (const line of ["init", "add @me/one @me/two"]) expect(drwn(line).status).toBe(0);
  const open: Person["open"] = (line) => {
    const terminal = openTerminal({ program: process.execPath, args: args(line), cwd, env });
    onTestFinished(() => terminal.leave());
    return terminal;
  };
  return { drwn, open };
}

const consentsOf = ({ drwn }: Person): string[] =>
  JSON.parse(drwn("trust --json").stdout).consents.map(({ card }: { card: string }) => card);

describe.skipIf(whyNoTerminal() !== undefined)("`drwn card trust` without a card, at a terminal", () => {
  test("lists what waits, and a no to one card is no answer to the next", async () => {
    const person = personWithTwoCards();
    const terminal = person.open("card trust");
    await terminal.shows("2 cards wait for your consent:");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("n");
    await terminal.shows("Let these policies of @me/two run in this project?");
    terminal.press("y");
    await terminal.shows("Consented to the hook policies of @me/two in the range ^1.0.0");
    expect(consentsOf(person)).toEqual(["@me/two"]);
  });

  test("ends with Ctrl-C, and says what was consented to until then", async () => {
    const person = personWithTwoCards();
    const terminal = person.open("card trust");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("y");
    await terminal.shows("Let these policies of @me/two run in this project?");
    terminal.press("\u0003");
    await terminal.shows("Consented to the hook policies of @me/one in the range ^1.0.0");
    expect(consentsOf(person)).toEqual(["@me/one"]);
  });
});
