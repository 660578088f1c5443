import { expect, test } from "vitest";
import { findCommand, readCommandFacts, readNames } from "../../src/cli/names/names.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, GUARD, inAgent, newProject, publish } from "../support/projects.ts";
import { readHintedCommands } from "./hint-places.ts";
import { KEY, PERSONS, type Row, WITH_A_GUARD, WITHOUT_CARDS } from "./hint-rows.ts";
import { follow, guarded, succeed, type } from "./hinted.ts";
import { TO_A_GUARD, TO_AN_END, TWO } from "./situations.ts";

test.each(Object.keys(TO_A_GUARD))("what a command says comes next leads to a guarded project: %s", async (name) => {
  const { host, line } = await (TO_A_GUARD[name]?.() ?? expect.fail());
  const first = await type(host, `drwn ${line}`);
  const typed = await follow(host, first);
  expect(typed, first.stdout + first.stderr).not.toEqual([]);
  const said = [`drwn ${line}`, first.stdout, first.stderr, ...typed].join("\n");
  const { exitCode, stdout } = await type(host, "drwn status --check");
  expect({ exitCode, next: stdout.match(/Next: .*/u)?.[0] }, said).toEqual({ exitCode: 0, next: undefined });
  expect((await type(host, "drwn list --json")).stdout, said).toContain('"state": "active"');
});

test.each(Object.keys(TO_AN_END))("what a command says comes next can be typed, to its end: %s", async (name) => {
  const { host, line } = await (TO_AN_END[name]?.() ?? expect.fail());
  const first = await type(host, `drwn ${line}`);
  expect(await follow(host, first), first.stdout + first.stderr).not.toEqual([]);
});

test("the hint of a consent that nobody can be asked for has its terms", async () => {
  const host = await guarded(GUARD);
  const { stderr } = await type(host, `drwn card trust ${CARD} --hooks --shadow --expires 30d`);
  expect(stderr).toContain(`then: drwn card trust ${CARD} --hooks --range ^1.0.0 --shadow --expires 30d --yes`);
});

test("`drwn install` behind a pull puts in force what joins, and says what waits in a line each", async () => {
  const host = await guarded(GUARD, TWO);
  await publish(host, { ...GUARD, version: "1.1.0" });
  await publish(host, { ...TWO, version: "2.0.0" });
  await succeed(host, "update --latest");
  const { stdout } = await type(host, "drwn install");
  expect(stdout).toMatch(/^in force: 1 hook policy of @me\/backend@1\.1\.0 \(guard\)$/mu);
  expect(stdout.match(/^@me\/two@2\.0\.0: .*$/gmu)).toHaveLength(1);
  expect(stdout).toMatch(/^Guarded: Claude Code$/mu);
  expect(stdout.match(/^Next: .*$/gmu)).toEqual(["Next: drwn trust"]);
});

test("cards that wait for a review are reviewed by one command", async () => {
  const host = newProject();
  await publish(host, GUARD);
  await publish(host, TWO);
  const { stdout } = await type(host, `drwn add ${CARD} @me/two`);
  expect(stdout.match(/^Next: .*$/gmu)).toEqual(["Next: drwn trust"]);
});

/** Types each line, and what it says to type, in this order on this machine. */
async function followRows(host: TestHost, rows: readonly Row[]): Promise<void> {
  for (const { line, says, before, ends = 0 } of rows) {
    await before?.(host);
    const { stdout, stderr } = await type(host, `drwn ${line}`);
    const hint = `drwn ${says}`;
    expect
      .soft(`${stdout}${stderr}`.replaceAll('"', "").replaceAll("'", ""), `${line}\n${stdout}${stderr}`)
      .toContain(hint);
    const run = await type(host, hint);
    if (run.exitCode !== ends)
      expect.soft(await follow(host, run), `${hint}\n${run.stdout}${run.stderr}`).not.toEqual([]);
  }
}

test("what a command says comes next in a project without cards can be typed", async () => {
  await followRows(newProject(), WITHOUT_CARDS);
});

test("what a command says comes next where a guard is in force can be typed", async () => {
  await followRows(await guarded(), WITH_A_GUARD);
});

test("what an agent may not do, a person is told to do with the same words and flags, without a yes", async () => {
  const host = await guarded();
  await succeed(
    host,
    "card new @me/own",
    "card source add-hook @me/own guard",
    "card publish @me/own",
    `key trust ${KEY} @theirs`,
  );
  const told: string[] = [];
  for (const line of PERSONS) {
    const { stderr } = await type(inAgent(host), `drwn ${line}`);
    const hint = /^hint: .*?: drwn (.*)$/mu.exec(stderr)?.[1] ?? `${line}: ${stderr}`;
    told.push(hint);
  }
  expect(told).toEqual(PERSONS.map((line) => line.replace(/ --yes$/u, "")));
});

/** What is wrong with a command as it is said: every name to be filled in counts as one. */
function faultOf(command: string): string[] {
  const found = findCommand(command.replaceAll("…", "x").split(" ").slice(1), readNames());
  const facts = readCommandFacts().find(({ id }) => id === found?.id);
  if (found === undefined || facts === undefined) return [];
  const flags = found.argv.filter((word) => word.startsWith("--")).map((word) => word.replace(/^--(?:no-)?/u, ""));
  const unknown = flags.filter(
    (flag) => !(flag.replace(/x$|\]$/u, "") in facts.flags) && flag !== "help" && flag !== "json",
  );
  const needed = Object.values(facts.args).filter(({ required }) => required === true).length;
  const isShort = found.argv.filter((word) => !word.startsWith("-")).length < needed;
  return [
    ...unknown.map((flag) => `${command}: there is no --${flag}`),
    ...(isShort ? [`${command}: too few words`] : []),
  ];
}

/** Commands that a sentence only names. */
const IN_A_SENTENCE = ["drwn card new", "drwn remove"];

test("each command that drwn says to type has its words and flags", async () => {
  const hints = await readHintedCommands(readNames());
  const said = hints.filter((hint) => !hint.includes("<") && !IN_A_SENTENCE.includes(hint));
  expect(said.flatMap(faultOf)).toEqual([]);
});
