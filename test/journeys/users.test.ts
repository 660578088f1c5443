import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTerminal, whyNoTerminal } from "../e2e/terminal.ts";
import { writeTree } from "../support/cards.ts";
import { BIN, consented, type Person, person, wiredAt } from "../support/person.ts";
import { SystemMachine, whyNoMachine } from "../support/system-machine.ts";

/** What people met who tried drwn as new users, as teammates and as administrators: each journey as they went it. */

const firstLine = ({ stdout }: { stdout: string }): string => stdout.split("\n")[0] ?? "";
const CLAUDE = ".claude/settings.json";
const CODEX = ".codex/hooks.json";
const GEMINI = ".gemini/settings.json";

/** A folder that somebody has committed, and what another person gets of it. */
function clone(from: Person, to: Person): void {
  fs.cpSync(from.project, to.project, { recursive: true });
}

/** What Codex would do with a command, according to its entry: it runs the line in a shell. */
function callOfCodex({ home, project }: Person, command: string): number | null {
  const { hooks } = JSON.parse(fs.readFileSync(path.join(home, CODEX), "utf8"));
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, session_id: "s" };
  const input = JSON.stringify({ ...event, tool_use_id: "c", turn_id: "t", cwd: project });
  const { status, stdout } = spawnSync("sh", ["-c", hooks.PreToolUse[0].hooks[0].command], {
    cwd: project,
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    encoding: "utf8",
    input,
  });
  return /"permissionDecision":\s*"deny"/u.test(stdout) ? 2 : status;
}

describe("A1, `init` guards the wrong agent", () => {
  test.skipIf(whyNoTerminal() !== undefined)(
    "of a teammate who has Codex and Gemini CLI, and no Claude Code",
    async () => {
      const first = person({ folders: [".claude"] });
      await first.drwn("init");
      await first.drwn("add", "@drwn/secrets", "--trust", "--yes");
      expect(firstLine(await first.drwn("status"))).toBe("Guarded: Claude Code");
      const second = person({ folders: [".codex", ".gemini"] });
      clone(first, second);
      const terminal = openTerminal({
        program: process.execPath,
        args: [BIN, "init"],
        cwd: second.project,
        env: second.env,
      });
      await terminal.shows("Let these policies of @drwn/secrets");
      terminal.press("y");
      await terminal.shows("NOT GUARDED in Codex: Codex has not been told to trust drwn's hook");
      await terminal.leave();
      expect(terminal.said()).not.toMatch(/Guarded:[^\n]*Claude Code/u);
      for (const command of ["status", "write", "install"]) {
        const { stdout } = await second.drwn(command);
        expect([command, stdout]).toEqual([command, expect.stringMatching(/^NOT GUARDED in Codex/mu)]);
        expect([command, stdout]).toEqual([command, expect.stringMatching(/^Guarded: Gemini CLI$/mu)]);
      }
      expect(wiredAt(second)).toEqual([CODEX, GEMINI]);
      expect(fs.readdirSync(second.home).sort()).toEqual([".agents", ".codex", ".gemini"]);
      expect(callOfCodex(second, "cat .env")).toBe(2);
      expect(callOfCodex(second, "ls")).toBe(0);
    },
    60_000,
  );

  test("of somebody who has a folder of Codex, and a `claude` on PATH that was never started", async () => {
    const machine = person({ folders: [".codex"], programs: ["claude"] });
    expect((await machine.drwn("init")).stdout).toContain("claude-code, codex");
    await (await consented(machine)).drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE, CODEX]);
    for (const command of ["status", "write"])
      expect((await machine.drwn(command)).stdout).toMatch(/^Guarded: Claude Code$/mu);
  });

  test("of somebody who has only a `claude` on PATH", async () => {
    const machine = person({ programs: ["claude"] });
    expect((await machine.drwn("init")).stdout).not.toContain("No agent was found");
    await (await consented(machine)).drwn("write");
    expect(firstLine(await machine.drwn("status"))).toBe("Guarded: Claude Code");
  });

  test("of somebody who uses Claude Code in an app with Mastra", async () => {
    const machine = person({ folders: [".claude"] });
    writeTree(machine.project, { "package.json": JSON.stringify({ dependencies: { "@mastra/core": "^1.71.0" } }) });
    expect((await machine.drwn("init")).stdout).toContain("claude-code, mastra");
    await (await consented(machine)).drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    expect(fs.existsSync(path.join(machine.project, ".agents/drwn/mastra.js"))).toBe(true);
    expect((await machine.drwn("status")).stdout).toMatch(/^Guarded:.*Claude Code/mu);
  });
});

test("A2, two hints of one doctor undo each other", async () => {
  const machine = await consented(person({ folders: [".claude", ".codex", ".gemini"] }));
  await machine.drwn("write", "--runtime", "claude-code");
  const { findings } = JSON.parse((await machine.drwn("doctor", "--json")).stdout) as {
    findings: { hint: string | null }[];
  };
  const hints = findings.flatMap(({ hint }) => (hint?.startsWith("drwn write") ? [hint] : []));
  expect(hints).toEqual(["drwn write --also codex --also gemini-cli"]);
  for (const hint of hints) await machine.drwn(...hint.split(" ").slice(1));
  expect(wiredAt(machine)).toEqual([CLAUDE, CODEX, GEMINI]);
  expect(firstLine(await machine.drwn("write", "--runtime", "claude-code"))).toBe(
    "Guarded: Claude Code. NOT GUARDED: Codex, Gemini CLI (found here, left out by choice). Run: drwn write --also codex --also gemini-cli",
  );
});

describe("A3, `write --runtime` isn't remembered", () => {
  test("where config.json names another agent", async () => {
    const machine = await consented(person({ folders: [".claude", ".gemini"] }), ["gemini-cli"]);
    await machine.drwn("write", "--runtime", "claude-code");
    for (const command of ["status", "write"])
      expect([command, (await machine.drwn(command, "--check")).status]).toEqual([command, 0]);
    expect((await machine.drwn("write")).stdout).toContain("Already up to date");
    expect(wiredAt(machine)).toEqual([CLAUDE]);
  });

  test.skipIf(whyNoMachine() !== undefined)("for every user, as the guide proposes", async () => {
    const floor = new SystemMachine();
    floor.drwn("add", "--system", "--trust", "--yes", "@drwn/cloud");
    const written = floor.drwn("write", "--system", "--runtime", "claude-code", "--runtime", "codex");
    expect([written.status, firstLine(written)]).toEqual([0, expect.stringMatching(/^Guarded: Claude Code, Codex/u)]);
    expect(floor.drwn("status", "--system", "--check").status).toBe(0);
    expect(floor.drwn("write", "--system", "--check").status).toBe(0);
    expect(floor.drwn("write", "--system").stdout).toContain("Already up to date");
    expect(fs.existsSync(floor.at("gemini-cli/settings.json"))).toBe(false);
    floor.drwn("write", "--system", "--runtime", "all");
    expect(fs.existsSync(floor.at("gemini-cli/settings.json"))).toBe(true);
  });
});

test('A4, `write` and `install` say "in force" under NOT GUARDED', async () => {
  const machine = await consented(person({ folders: [".claude"] }));
  writeTree(machine.project, { ".claude/settings.json": '{"disableAllHooks":true}' });
  for (const command of ["write", "install", "status", "list"]) {
    const { stdout } = await machine.drwn(command);
    expect([command, firstLine({ stdout })]).toEqual([command, expect.stringMatching(/^NOT GUARDED in Claude Code/u)]);
    expect([command, stdout.replaceAll("NOT in force", "")]).toEqual([
      command,
      expect.not.stringContaining("in force"),
    ]);
  }
});
