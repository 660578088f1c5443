import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newPerson, publishGuard, succeed, type TestPerson } from "../support/people.ts";

const first = ({ stdout }: { stdout: string }): string => stdout.split("\n")[0] ?? "";
const GUARDED = "Guarded: Claude Code";
const OUTDATED =
  /^NOT GUARDED in Claude Code: before 2\.1\.295 Claude Code doesn't do what drwn's entry says .*claude update/u;
const DROPPED = /^NOT GUARDED in Claude Code: Claude Code says: tui: no such mode; it doesn't load drwn's hook/u;
const CHANGED =
  /^NOT GUARDED in Claude Code: Claude Code or its settings have changed since drwn asked.*Run: drwn doctor$/u;

/** Answers as the real program does: a file with `"tui": "bad"` is dropped whole. */
const ANSWERS = `
const settings = JSON.parse(require("node:fs").readFileSync(process.env.CLAUDE_CONFIG_DIR + "/settings.json", "utf8"));
const isDropped = settings.tui === "bad";
const commands = Object.values(settings.hooks).flat().flatMap(({ hooks }) => hooks).map(({ command }) => ({ commandText: command }));
const answer = (request_id, response) => console.log(JSON.stringify({ type: "control_response", response: { request_id, response } }));
answer("get_hooks_listing", { hooks: isDropped ? [] : commands });
answer("get_settings", isDropped ? { errors: [{ path: "tui", message: "no such mode" }] } : {});
`;

interface Machine extends TestPerson {
  settings: string;
  /** Installs a Claude Code of this version, in place of the one before. */
  install: (version: string, script?: string) => void;
  /** How often somebody asked it what it loads. */
  asked: () => number;
  record: string;
}

async function machine(): Promise<Machine> {
  const person = newPerson();
  const programs = path.join(person.home, "../programs");
  const asked = path.join(programs, "asked");
  fs.writeFileSync(asked, "");
  fs.writeFileSync(path.join(programs, "answers.cjs"), ANSWERS);
  const node = `'${process.execPath}' '${path.join(programs, "answers.cjs")}'`;
  const install: Machine["install"] = (version, script = `exec ${node}`) => {
    const program = path.join(programs, "claude");
    const lines = [`#!/bin/sh`, `[ "$1" = --version ] && { echo "${version} (Claude Code)"; exit; }`];
    fs.rmSync(program, { force: true });
    fs.writeFileSync(program, [...lines, `echo >> '${asked}'`, script, ""].join("\n"), { mode: 0o755 });
  };
  publishGuard(person);
  for (const line of ["init", "add @me/one --trust --yes"]) succeed(await person.here(line));
  const projects = path.join(person.home, ".agents/drwn/projects");
  const [key = ""] = fs
    .readdirSync(projects)
    .filter((name) => fs.existsSync(path.join(projects, name, "written.json")));
  return {
    ...person,
    settings: path.join(person.home, ".claude/settings.json"),
    install,
    asked: () => fs.readFileSync(asked, "utf8").length,
    record: path.join(projects, key, "agent-answers.json"),
  };
}

function edit({ settings }: Machine, fields: object): void {
  fs.writeFileSync(settings, JSON.stringify({ ...JSON.parse(fs.readFileSync(settings, "utf8")), ...fields }));
}

test("what an agent said against the hook holds in every command, until it says otherwise", async () => {
  const here = await machine();
  here.install("2.1.100");
  expect(first(await here.here("write"))).toMatch(OUTDATED);
  for (const command of ["write", "status", "list", "write --check", "doctor", "status"])
    expect([command, first(await here.here(command))]).toEqual([command, expect.stringMatching(OUTDATED)]);
  for (const command of ["status --check", "write --check", "doctor"])
    expect([command, (await here.here(command)).status]).toEqual([command, 3]);
  const { guarding } = JSON.parse((await here.here("status --json")).stdout);
  expect(guarding).toMatchObject({ ok: false, agents: [{ state: "unguarded" }] });
  here.install("2.1.400");
  // What `status` reads can't show that the other program is a better one.
  expect(first(await here.here("status"))).toMatch(CHANGED);
  expect(first(await here.here("doctor"))).toBe(GUARDED);
  expect(first(await here.here("status"))).toBe(GUARDED);
}, 60_000);

test("`write` asks an agent again whose program or settings have changed, though the entry hasn't, and no other", async () => {
  const here = await machine();
  here.install("2.1.400");
  expect(first(await here.here("write"))).toBe(GUARDED);
  expect(here.asked()).toBe(1);
  for (const command of ["write", "status", "list"]) expect(first(await here.here(command))).toBe(GUARDED);
  expect(here.asked()).toBe(1);
  edit(here, { tui: "bad" });
  expect(first(await here.here("write"))).toMatch(DROPPED);
  expect(here.asked()).toBe(2);
  expect(first(await here.here("status"))).toMatch(DROPPED);
  edit(here, { tui: "fullscreen" });
  expect(first(await here.here("status"))).toMatch(CHANGED);
  expect(first(await here.here("write"))).toBe(GUARDED);
  expect(first(await here.here("status"))).toBe(GUARDED);
  here.install("2.1.100");
  expect(first(await here.here("write"))).toMatch(OUTDATED);
}, 60_000);

test("an agent that doesn't answer any more has still said it, unless its program or settings are others", async () => {
  const here = await machine();
  here.install("2.1.400");
  edit(here, { tui: "bad" });
  expect(first(await here.here("write"))).toMatch(DROPPED);
  fs.renameSync(path.join(here.home, "../programs/answers.cjs"), path.join(here.home, "answers.cjs"));
  for (const command of ["write", "doctor", "status"])
    expect([command, first(await here.here(command))]).toEqual([command, expect.stringMatching(DROPPED)]);
  here.install("2.1.401");
  expect(first(await here.here("status"))).toMatch(CHANGED);
  // Nobody can tell: as for an agent that never answered.
  const diagnosed = await here.here("doctor");
  expect([first(diagnosed), diagnosed.stdout]).toEqual([
    GUARDED,
    expect.stringContaining("got no answer within ten seconds"),
  ]);
  expect(first(await here.here("status"))).toBe(GUARDED);
}, 60_000);

const DAMAGES: Record<string, (record: string) => void> = {
  "cut off": (record) => fs.writeFileSync(record, fs.readFileSync(record, "utf8").slice(0, 40)),
  "of another format": (record) => fs.writeFileSync(record, `{"version":2,"agents":{}}`),
  empty: (record) => fs.writeFileSync(record, ""),
  "a folder": (record) => {
    fs.rmSync(record);
    fs.mkdirSync(path.join(record, "x"), { recursive: true });
  },
};

test("with a damaged record of answers, nobody says Guarded until `write` has asked again", async () => {
  const here = await machine();
  here.install("2.1.100");
  expect(first(await here.here("write"))).toMatch(OUTDATED);
  for (const [damage, spoil] of Object.entries(DAMAGES)) {
    spoil(here.record);
    const { status, stdout, stderr } = await here.here("status --check");
    expect([damage, status, stderr]).toEqual([damage, 3, ""]);
    expect(first({ stdout })).toMatch(/^NOT KNOWN whether guarded in Claude Code: .*Run: drwn write$/u);
    expect([damage, first(await here.here("write"))]).toEqual([damage, expect.stringMatching(OUTDATED)]);
  }
}, 60_000);

test("where the program is gone, `write` makes a damaged record anew and says how it is then", async () => {
  const here = await machine();
  fs.writeFileSync(here.record, "no JSON");
  expect(first(await here.here("status"))).toMatch(/^NOT KNOWN/u);
  expect(first(await here.here("write"))).toBe(GUARDED);
});

test("a `write` that was killed before its agent answered asks at the next one", async () => {
  const here = await machine();
  here.install("2.1.100", `kill -9 $(ps -o ppid= -p $PPID 2>/dev/null) $PPID; sleep 1`);
  // It kills who asked: a process of its own.
  expect(here.drwn("write").status).not.toBe(0);
  here.install("2.1.100");
  const again = await here.here("write");
  expect(again.stdout).toContain("Already up to date");
  expect(first(again)).toMatch(OUTDATED);
});
