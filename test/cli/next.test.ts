import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newPerson, publishGuard, type Ran, succeed, type TestPerson } from "../support/people.ts";

const MOST_STEPS = 8;

/** What a command says to run next, and what a refusal says would have worked. */
function stepsIn({ stdout, stderr }: Ran): string[] {
  const said = `${stdout}\n${stderr}`.matchAll(/(?:Next: |^hint: (?:read what is above, then: )?)(drwn .+)$/gmu);
  return [...said].flatMap(([, line = ""]) => (line.includes("<") ? [] : [line]));
}

/** Types what each command says comes next, until none says anything more. */
function follow(person: TestPerson, first: Ran): string[] {
  const typed: string[] = [];
  for (let waiting = stepsIn(first); waiting.length > 0; ) {
    const [step = "", ...later] = waiting;
    expect(typed.length, typed.join("\n")).toBeLessThan(MOST_STEPS);
    typed.push(step);
    waiting = [...new Set([...stepsIn(person.sh(step)), ...later])];
  }
  return typed;
}

/** Publishes, and puts the guard in force. */
function guarded(...cards: readonly string[]): TestPerson {
  const person = newPerson();
  for (const card of cards) publishGuard(person, { card });
  succeed(person.drwn("init"));
  succeed(person.drwn(`add ${cards.join(" ")} --trust --yes`));
  return person;
}

const commit = ({ project }: TestPerson) =>
  fs.cpSync(path.join(project, ".agents"), `${project}.git`, { recursive: true });
const pull = ({ project }: TestPerson) =>
  fs.cpSync(`${project}.git`, path.join(project, ".agents"), { recursive: true, force: true });

const SITUATIONS: Readonly<Record<string, () => { person: TestPerson; first: Ran }>> = {
  "a card that was added": () => {
    const person = newPerson();
    publishGuard(person);
    succeed(person.drwn("init"));
    return { person, first: person.drwn("add @me/one") };
  },
  "two cards that a clone brings": () => {
    const person = newPerson();
    for (const card of ["@me/one", "@me/two"]) publishGuard(person, { card });
    for (const line of ["init", "add @me/one @me/two"]) succeed(person.drwn(line));
    return { person, first: person.drwn("init") };
  },
  "a later version outside of the consent": () => {
    const person = guarded("@me/one");
    publishGuard(person, { version: "2.0.0" });
    return { person, first: person.drwn("update --latest") };
  },
  "a lock that somebody else has moved on": () => {
    const person = guarded("@me/one");
    fs.cpSync(path.join(person.project, ".agents"), `${person.project}.old`, { recursive: true });
    publishGuard(person, { version: "2.0.0" });
    succeed(person.drwn("update --latest"));
    commit(person);
    fs.cpSync(`${person.project}.old`, path.join(person.project, ".agents"), { recursive: true });
    succeed(person.drwn("install"));
    pull(person);
    return { person, first: person.drwn("install") };
  },
  "a consent in other terms, without a terminal": () => {
    const person = guarded("@me/one");
    return { person, first: person.drwn("card trust @me/one --hooks --restrict-only --expires 30d") };
  },
};

test.each(Object.keys(SITUATIONS))("what a command says comes next leads to a guarded project: %s", (name) => {
  const { person, first } = SITUATIONS[name]?.() ?? expect.fail();
  const typed = follow(person, first);
  const { status, stdout } = person.drwn("status --check");
  expect({ status, next: stdout.match(/Next: .*/u)?.[0] }, [first.stdout, first.stderr, ...typed].join("\n")).toEqual({
    status: 0,
    next: undefined,
  });
  expect(person.drwn("list --json").stdout).toContain('"state": "active"');
});

test("the hint of a consent that nobody can be asked for has its terms", () => {
  const person = guarded("@me/one");
  const { stderr } = person.drwn("card trust @me/one --hooks --shadow --expires 30d");
  expect(stderr).toContain("then: drwn card trust @me/one --hooks --range ^1.0.0 --shadow --expires 30d --yes");
});

test("`drwn install` behind a pull puts in force what joins, and says what waits in a line each", () => {
  const person = guarded("@me/one", "@me/two");
  fs.cpSync(path.join(person.project, ".agents"), `${person.project}.old`, { recursive: true });
  publishGuard(person, { card: "@me/one", version: "1.1.0" });
  publishGuard(person, { card: "@me/two", version: "2.0.0" });
  succeed(person.drwn("update --latest"));
  const { stdout } = person.drwn("install");
  expect(stdout).toMatch(/^in force: 1 hook policy of @me\/one@1\.1\.0 \(guard\)$/mu);
  expect(stdout.match(/^@me\/two@2\.0\.0: .*$/gmu)).toHaveLength(1);
  expect(stdout).toMatch(/^Guarded: Claude Code$/mu);
  expect(stdout.match(/^Next: .*$/gmu)).toEqual(["Next: drwn card trust @me/two --hooks"]);
});
