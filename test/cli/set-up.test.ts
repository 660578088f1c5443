import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { temporaryFolder } from "../support/cards.ts";
import { newPerson, publishGuard, succeed } from "../support/people.ts";

describe.skipIf(whyNoTerminal() !== undefined)("`drwn init` at a terminal", () => {
  test("in a clone takes what the project asks for, and leaves out what nobody consented to", async () => {
    const machine = newPerson();
    publishGuard(machine);
    for (const line of ["init", "add @me/one"]) expect(machine.drwn(line).status).toBe(0);
    const terminal = machine.open("init");
    await terminal.shows("is a drwn project and asks for 1 card");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("n");
    await terminal.shows("Next: drwn card trust");
    await terminal.shows("Not guarded");
    expect(machine.drwn("status").stdout).toContain("Not guarded");
  });

  test("asks before a registry that the project names becomes one of this machine's", async () => {
    const theirs = newPerson();
    publishGuard(theirs);
    const shared = fs.realpathSync(temporaryFolder());
    for (const line of [
      `registry add team ${shared}`,
      "registry set-scope @me team",
      "card publish @me/one",
      "init",
      "add @me/one",
    ]) {
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
  test("shows the source and what differs as often as it is asked, and takes only a yes for a yes", async () => {
    const person = newPerson();
    publishGuard(person);
    for (const line of ["init", "add @me/one"]) expect(person.drwn(line).status).toBe(0);
    const terminal = person.open("card trust @me/one --hooks");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("v");
    await terminal.shows('beforeToolCall: () => ({ action: "deny", reason: "not in 1.0.0" })');
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("d");
    await terminal.shows("no version of this card was ever approved here");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("\r");
    await terminal.shows("DRWN_CONSENT_DECLINED");
    expect(person.drwn("trust --json").stdout).toContain('"consents": []');
  });
});

test("card show --source prints what a card is made of, and cleans each line of it", () => {
  const person = newPerson();
  publishGuard(person);
  const file = path.join(person.home, ".agents/drwn/sources/@me/one/hooks/guard/policy.ts");
  fs.appendFileSync(file, "// \u001b[31mred\u202e\n");
  expect(person.drwn("card source set @me/one --version 1.0.1").status).toBe(0);
  expect(person.drwn("card publish @me/one").status).toBe(0);
  const { stdout } = person.drwn("card show @me/one --source");
  expect(stdout).toContain('2  export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash",');
  expect(stdout).not.toMatch(/[\u001b\u202e]/u);
});

test("`drwn init` without a terminal makes a project, and then says what a project takes next", () => {
  const { drwn } = newPerson();
  expect(drwn("init").stdout).toContain("Next: drwn add <card>");
  expect(drwn("init").stderr).toContain("hint: drwn install");
});

test("`drwn` alone says where the project stands, and shows the help elsewhere", () => {
  const { drwn, project } = newPerson();
  expect(drwn("").stdout).toContain("Use cards in a project");
  expect(drwn("init").status).toBe(0);
  const below = path.join(project, "below");
  fs.mkdirSync(below);
  for (const folder of [project, below]) expect(drwn("", folder).stdout).toContain(`Project ${project}`);
});

describe("`drwn update -i`", () => {
  test.skipIf(whyNoTerminal() !== undefined)("takes what a person picks, and says what would wait", async () => {
    const person = newPerson();
    publishGuard(person);
    for (const line of ["init", "add @me/one", "card trust @me/one --hooks --yes"]) succeed(person.drwn(line));
    for (const version of ["1.0.1", "2.0.0"]) publishGuard(person, { version });
    const terminal = person.open("update -i");
    await terminal.shows("@me/one 1.0.0 → 1.0.1 (joins your consent)");
    await terminal.shows("Major");
    await terminal.shows("waits for a review");
    // The heading of a group stands for all that is in it.
    terminal.press(" ");
    terminal.press("\r");
    await terminal.shows("1 card updated");
    expect(person.drwn("list").stdout).toContain("1.0.1");
  });

  test("without a terminal says what works there, before it asks a registry", () => {
    const { drwn } = newPerson();
    expect(drwn("init").status).toBe(0);
    const { status, stderr } = drwn("update -i @me/one");
    expect(status).toBe(1);
    expect(stderr).toContain("DRWN_TERMINAL_NEEDED");
    expect(stderr).toContain("drwn update @me/one");
  });
});
