import { describe, expect, test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { newPerson, publishGuard, succeed, type TestPerson } from "../support/people.ts";

/** In a project with three cards, whose hooks wait for a consent. */
function personWithCards(): TestPerson {
  const person = newPerson();
  for (const card of ["@me/one", "@me/three", "@me/two"]) publishGuard(person, { card });
  for (const line of ["init", "add @me/one @me/three @me/two"]) succeed(person.drwn(line));
  return person;
}

const consentsOf = ({ drwn }: TestPerson): string[] =>
  JSON.parse(drwn("trust --json").stdout).consents.map(({ card }: { card: string }) => card);

describe.skipIf(whyNoTerminal() !== undefined)("`drwn card trust` without a card, at a terminal", () => {
  test("lists what waits, a no to one card is no answer to the next, and Ctrl-C keeps what was consented to", async () => {
    const person = personWithCards();
    const terminal = person.open("card trust");
    await terminal.shows("3 cards wait for your consent:");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("n");
    await terminal.shows("Let these policies of @me/three run in this project?");
    terminal.press("n");
    await terminal.shows("Let these policies of @me/two run in this project?");
    terminal.press("y");
    await terminal.shows("Consented to the hook policies of @me/two in the range ^1.0.0");
    expect(consentsOf(person)).toEqual(["@me/two"]);
    const ended = person.open("card trust");
    await ended.shows("Let these policies of @me/one run in this project?");
    ended.press("y");
    await ended.shows("Let these policies of @me/three run in this project?");
    ended.press("\u0003");
    await ended.shows("Consented to the hook policies of @me/one in the range ^1.0.0");
    expect(consentsOf(person)).toEqual(["@me/two", "@me/one"]);
  });
});
