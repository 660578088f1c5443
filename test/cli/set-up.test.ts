import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTerminal, type Terminal, whyNoTerminal } from "../e2e/terminal.ts";
import { temporaryFolder } from "../support/cards.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/drwn.js");

interface Machine {
  project: string;
  env: Readonly<Record<string, string>>;
  drwn: (line: string, cwd?: string) => { status: number | null; stdout: string; stderr: string };
  open: (line: string) => Terminal;
}

/** A machine of somebody who uses Claude Code, with the guard @me/one in a registry, and an empty folder. */
function machineWithGuard(base = fs.realpathSync(temporaryFolder())): Machine {
  const home = path.join(base, "home");
  const project = path.join(base, "project");
  for (const folder of [project, path.join(home, ".claude")]) fs.mkdirSync(folder, { recursive: true });
  const env = { HOME: home };
  const args = (line: string) => [BIN, ...line.split(" ").filter(Boolean)];
  const drwn: Machine["drwn"] = (line, cwd = project) =>
    spawnSync(process.execPath, args(line), {
      cwd,
      env: { ...env, PATH: process.env["PATH"] },
      encoding: "utf8",
    });
  const open: Machine["open"] = (line) => {
    const terminal = openTerminal({ program: process.execPath, args: args(line), cwd: project, env });
    onTestFinished(() => terminal.leave());
    return terminal;
  };
  return { project, env, drwn, open };
}

function publishGuard({ drwn, env }: Machine): void {
  const policy = [
    'import { defineToolPolicy } from "darwinian-minds/hook-policy";',
    'export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash",',
    '  beforeToolCall: () => ({ action: "deny", reason: "not here" }) });',
  ];
  for (const line of ["card new @me/one", "card source add-hook @me/one guard"]) expect(drwn(line).status).toBe(0);
  const folder = path.join(env["HOME"] ?? "", ".agents/drwn/sources/@me/one");
  fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), policy.join("\n"));
  expect(drwn("card publish @me/one").status).toBe(0);
}

describe.skipIf(whyNoTerminal() !== undefined)("`drwn init` at a terminal", () => {
  test("sets up an empty folder: the agents that it found, a guard, its review, a consent", async () => {
    const machine = machineWithGuard();
    publishGuard(machine);
    const terminal = machine.open("init");
    await terminal.shows("Agents found: claude-code");
    await terminal.shows("Which guards do you want?");
    await terminal.shows("@me/one@1.0.0");
    terminal.press(" ");
    terminal.press("\r");
    await terminal.shows("Let these policies of @me/one run in this project?");
    terminal.press("y");
    await terminal.shows("Guarded: Claude Code");
    expect(machine.drwn("status --check").status).toBe(0);
  });

  test("in a clone takes what the project asks for, and leaves out what nobody consented to", async () => {
    const machine = machineWithGuard();
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
    const theirs = machineWithGuard();
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
    const mine = machineWithGuard();
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

test("`drwn init` without a terminal makes a project, and then says what a project takes next", () => {
  const { drwn } = machineWithGuard();
  expect(drwn("init").stdout).toContain("Next: drwn add <card>");
  expect(drwn("init").stderr).toContain("hint: drwn install");
});

test("`drwn` alone says where the project stands, and shows the help elsewhere", () => {
  const { drwn, project } = machineWithGuard();
  expect(drwn("").stdout).toContain("Use cards in a project");
  expect(drwn("init").status).toBe(0);
  const below = path.join(project, "below");
  fs.mkdirSync(below);
  for (const folder of [project, below]) expect(drwn("", folder).stdout).toContain(`Project ${project}`);
});
