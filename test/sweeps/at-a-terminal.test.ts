import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { temporaryFolder } from "../support/cards.ts";
import { newPerson, publishGuard, succeed, type TestPerson } from "../support/people.ts";

describe.skipIf(whyNoTerminal() !== undefined)("`drwn init` at a terminal", () => {
  test("in a clone takes what the project asks for, and leaves out what nobody consented to", async () => {
    const machine = newPerson();
    publishGuard(machine);
    for (const line of ["init", "add @me/one"]) expect(machine.drwn(line).status).toBe(0);
    const terminal = machine.open("init");
    await terminal.shows("is a drwn project and asks for 1 card");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("n");
    await terminal.shows("Next: drwn trust");
    await terminal.shows("Not guarded");
    expect(machine.drwn("status").stdout).toContain("Not guarded");
  });

  test("asks before a registry that the project names becomes one of this machine's", async () => {
    const theirs = newPerson();
    publishGuard(theirs);
    const shared = fs.realpathSync(temporaryFolder());
    for (const line of [`registry add team ${shared} --scope @me`, "card publish @me/one", "init", "add @me/one"]) {
      expect(theirs.drwn(line), line).toMatchObject({ status: 0 });
    }
    const mine = newPerson();
    fs.cpSync(path.join(theirs.project, ".agents"), path.join(mine.project, ".agents"), { recursive: true });
    const refused = mine.open("init");
    await refused.shows("Take all cards of @me from there, in every project of yours?");
    refused.press("n");
    await refused.shows("DRWN_CARD_UNAVAILABLE");
    expect(mine.drwn("registry list").stdout).not.toContain(shared);
    const accepted = mine.open("init");
    await accepted.shows("Take all cards of @me from there, in every project of yours?");
    accepted.press("y");
    await accepted.shows("Let these policies of @me/one run in this project?");
    accepted.press("y");
    await accepted.shows("Guarded: Claude Code");
    expect(mine.drwn("registry list").stdout).toContain(shared);
  });
});

describe.skipIf(whyNoTerminal() !== undefined)("a review at a terminal", () => {
  test("shows the source as often as it is asked, and takes only a yes for a yes", async () => {
    const person = newPerson();
    publishGuard(person);
    for (const line of ["init", "add @me/one"]) expect(person.drwn(line).status).toBe(0);
    const terminal = person.open("card trust @me/one --hooks");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("v");
    await terminal.shows('beforeToolCall: () => ({ action: "deny", reason: "not in 1.0.0" })');
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("v");
    await terminal.shows('beforeToolCall: () => ({ action: "deny", reason: "not in 1.0.0" })');
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("\r");
    await terminal.shows("DRWN_CONSENT_DECLINED");
    expect(person.drwn("trust --json").stdout).toContain('"consents": []');
  });
});

describe.skipIf(whyNoTerminal() !== undefined)("`drwn update -i`", () => {
  test("takes what a person picks, and says what would wait", async () => {
    const person = newPerson();
    publishGuard(person);
    for (const line of ["init", "add @me/one", "card trust @me/one --hooks --yes"]) succeed(person.drwn(line));
    for (const version of ["1.0.1", "2.0.0"]) publishGuard(person, { version });
    const terminal = person.open("update -i");
    await terminal.shows("@me/one 1.0.0 → 1.0.1 (joins your consent)");
    await terminal.shows("Major");
    await terminal.shows("waits for a review");
    // The heading of a group selects everything in it.
    terminal.press(" ");
    await terminal.rests();
    terminal.press("\r");
    await terminal.shows("1 card updated");
    expect(person.drwn("list").stdout).toContain("1.0.1");
  });
});

/** Somebody in a project with three cards, whose hooks wait for consent. */
function personWithCards(): TestPerson {
  const person = newPerson();
  for (const card of ["@me/one", "@me/three", "@me/two"]) publishGuard(person, { card });
  for (const line of ["init", "add @me/one @me/three @me/two"]) succeed(person.drwn(line));
  return person;
}

const consentsOf = ({ drwn }: TestPerson): string[] =>
  JSON.parse(drwn("trust --json").stdout).consents.map(({ card }: { card: string }) => card);

describe.skipIf(whyNoTerminal() !== undefined)("`drwn card trust` without a card, at a terminal", () => {
  test("is one review of what waits, with a choice among the cards", async () => {
    const person = personWithCards();
    const refused = person.open("card trust");
    await refused.shows("Let these 3 policies of 3 cards run in this project?");
    refused.press("\u0003");
    await refused.rests();
    expect(consentsOf(person)).toEqual([]);
    const terminal = person.open("card trust");
    await terminal.shows("Let these 3 policies of 3 cards run in this project?");
    terminal.press("c");
    await terminal.shows("Which cards do you consent to?");
    terminal.press(" ");
    await terminal.rests();
    terminal.press("\r");
    await terminal.shows("Guarded: Claude Code");
    expect(consentsOf(person)).toEqual(["@me/one"]);
  });
});
