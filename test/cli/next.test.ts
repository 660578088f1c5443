import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findCommand, readNames } from "../../src/cli/names/names.ts";
import { layout } from "../../src/contract/layout.ts";
import { splitWords } from "../docs/shell-words.ts";
import { type CliRun, type CommandClass, runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { userSettings } from "../support/machine-state.ts";
import { anotherProject, CARD, cloneOf, GUARD, newProject, projectWith, publish } from "../support/projects.ts";

const MOST_STEPS = 8;
const TWO = { ...GUARD, name: "@me/two" };

/** What a command says to run next, and what a refusal says would have worked. */
function stepsIn({ stdout, stderr }: CliRun): string[] {
  const said = `${stdout}\n${stderr}`.matchAll(
    /(?:Next: |^ *(?:hint|mend|next): (?:read what is above, then: )?|: run )(drwn .+)$/gmu,
  );
  return [...said].flatMap(([, line = ""]) => (line.includes("<") ? [] : [line.split(", or: ")[0] ?? ""]));
}

/** What a person types, as the program runs it. */
async function type(host: TestHost, line: string): Promise<CliRun> {
  const command = findCommand(splitWords(line).slice(1), readNames());
  if (command === undefined) throw new Error(`nothing is called: ${line}`);
  const file = `../../src/cli/commands/${command.id.replaceAll(":", "/")}.ts`;
  const { default: Command } = (await import(file)) as { default: CommandClass };
  return await runCommand(host, Command, ...command.argv);
}

async function succeed(host: TestHost, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const run = await type(host, `drwn ${line}`);
    expect([line, run.exitCode], run.stdout + run.stderr).toEqual([line, 0]);
  }
}

/** Types what each command says comes next, until none says anything more. Whatever is refused says what would not be. */
async function follow(host: TestHost, first: CliRun): Promise<string[]> {
  const typed: string[] = [];
  for (let waiting = stepsIn(first); waiting.length > 0; ) {
    const [step = "", ...later] = waiting;
    expect(typed.length, typed.join("\n")).toBeLessThan(MOST_STEPS);
    typed.push(step);
    const run = await type(host, step);
    const next = stepsIn(run);
    if (run.exitCode !== 0) expect(next, `${step}\n${run.stdout}${run.stderr}`).not.toEqual([]);
    waiting = [...new Set([...next, ...later])];
  }
  return typed;
}

/** A project in which these guards are in force. */
async function guarded(...cards: readonly (typeof GUARD)[]): Promise<TestHost> {
  const host = await projectWith(...cards);
  fs.mkdirSync(path.join(host.home, ".claude"), { recursive: true });
  await succeed(host, `add ${cards.map(({ name = CARD }) => name).join(" ")} --trust --yes`);
  return host;
}

async function withCard(): Promise<TestHost> {
  const host = await projectWith(GUARD);
  fs.mkdirSync(path.join(host.home, ".claude"), { recursive: true });
  return host;
}

/** Another folder of the same machine with what the project commits. */
function clonedOn(host: TestHost): TestHost {
  const clone = anotherProject(host, "clone");
  fs.cpSync(path.join(cloneOf(host), ".agents"), path.join(clone.cwd, ".agents"), { recursive: true, force: true });
  return clone;
}

const MAJOR = { ...GUARD, version: "2.0.0" };
type Situation = () => Promise<{ host: TestHost; line: string }>;

/** Where a project is guarded, with nothing left to do, once every hint was followed. */
const TO_A_GUARD: Readonly<Record<string, Situation>> = {
  "a card that was added": async () => ({ host: await withCard(), line: `add ${CARD}` }),
  "two cards that a clone brings": async () => {
    const host = await guarded(GUARD, TWO);
    return { host: clonedOn(host), line: "init" };
  },
  "a clone that is asked where it stands": async () => ({ host: clonedOn(await guarded(GUARD)), line: "status" }),
  "a clone that was installed": async () => ({ host: clonedOn(await guarded(GUARD)), line: "install" }),
  "a clone that is looked through": async () => ({ host: clonedOn(await guarded(GUARD)), line: "doctor" }),
  "a later version outside of the consent": async () => {
    const host = await guarded(GUARD);
    await publish(host, MAJOR);
    return { host, line: "update --latest" };
  },
  "a later version that is only listed": async () => {
    const host = await guarded(GUARD);
    await publish(host, { ...GUARD, version: "1.1.0" });
    return { host, line: "outdated" };
  },
  "a lock that somebody else has moved on": async () => {
    const host = await guarded(GUARD);
    const old = cloneOf(host);
    await publish(host, MAJOR);
    await succeed(host, "update --latest");
    const later = cloneOf(host);
    for (const [from, line] of [
      [old, "install"],
      [later, ""],
    ] as const) {
      fs.cpSync(path.join(from, ".agents"), path.join(host.cwd, ".agents"), { recursive: true, force: true });
      if (line !== "") await succeed(host, line);
    }
    return { host, line: "install" };
  },
  "a consent in other terms, without a terminal": async () => ({
    host: await guarded(GUARD),
    line: `card trust ${CARD} --hooks --restrict-only --expires 30d`,
  }),
  "cards that wait for a consent": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    return { host, line: "card trust" };
  },
  "a consent that was withdrawn": async () => {
    const host = await guarded(GUARD);
    await succeed(host, `card untrust ${CARD}`);
    return { host, line: "status" };
  },
  "a guard that isn't in force": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    return { host, line: `why ${CARD}` };
  },
  "consents that the repository asks for": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    const requests = { [CARD]: { hooks: "^1.0.0" } };
    fs.writeFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), JSON.stringify({ version: 1, requests }));
    return { host, line: "trust accept" };
  },
  "settings without drwn's entry": async () => {
    const host = await guarded(GUARD);
    fs.writeFileSync(userSettings(host), "{}");
    return { host, line: "status" };
  },
  "a ledger that is gone": async () => {
    const host = await guarded(GUARD);
    fs.rmSync(path.join(host.drwnHome, "ledger"), { recursive: true });
    return { host, line: "status" };
  },
  "a damaged copy of a card": async () => {
    const host = await guarded(GUARD);
    const [file = ""] = fs
      .readdirSync(layout.store(host.drwnHome), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("policy.ts"))
      .map((name) => path.join(layout.store(host.drwnHome), name));
    fs.chmodSync(path.dirname(file), 0o700);
    fs.rmSync(file);
    return { host, line: "store verify" };
  },
};

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

/** Elsewhere the last one has done what there was to do. */
const TO_AN_END: Readonly<Record<string, Situation>> = {
  "a card that was taken out": async () => ({ host: await guarded(GUARD, TWO), line: `remove ${CARD}` }),
  "a folder that moved": async () => {
    const host = await guarded(GUARD);
    const elsewhere = `${host.cwd}-moved`;
    fs.renameSync(host.cwd, elsewhere);
    return { host: host.at(elsewhere), line: "status" };
  },
  "a source that was cloned": async () => {
    const host = newProject();
    await succeed(host, "card new @me/own --into own");
    return { host, line: "card source use ./own" };
  },
  "a project that is there": async () => ({ host: await guarded(GUARD), line: "init" }),
};

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
  expect(stdout.match(/^Next: .*$/gmu)).toEqual(["Next: drwn card trust @me/two --hooks"]);
});
