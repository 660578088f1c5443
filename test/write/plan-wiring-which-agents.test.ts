import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { writeTree } from "../support/cards.ts";
import { CARD, consented, person, wiredAt } from "../support/person.ts";

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
const GEMINI = ".gemini/settings.json";
const COPILOT = ".copilot/hooks/drwn.json";
const CLAUDE = ".claude/settings.json";

describe("which agents are guarded", () => {
  test("a teammate's own agents, and never an agent that the project names and the machine doesn't have", async () => {
    const teammate = await consented(person({ folders: [".codex", ".gemini"] }), ["claude-code"]);
    for (const command of ["write", "install", "status"]) {
      const { stdout } = await teammate.drwn(command);
      expect([command, stdout]).toEqual([command, expect.stringMatching(/^Guarded: Gemini CLI$/mu)]);
      expect([command, stdout]).toEqual([
        command,
        expect.stringMatching(/^NOT GUARDED in Codex: Codex has not been/mu),
      ]);
      expect([command, stdout]).toEqual([command, expect.stringContaining("Not found on this machine: Claude Code")]);
      expect(stdout).not.toMatch(/^Guarded:.*Claude Code/mu);
    }
    expect(wiredAt(teammate)).toEqual([CLAUDE, ".codex/hooks.json", GEMINI]);
  });

  test("nothing is made for an agent that isn't there and that nobody named", async () => {
    const machine = await consented(person({ folders: [".gemini"] }));
    await machine.drwn("write");
    expect(fs.readdirSync(machine.home).sort()).toEqual([".agents", ".gemini"]);
    const bare = await consented(person({}));
    expect(firstLine((await bare.drwn("write")).stdout)).toBe(
      "NOT GUARDED: no agent was found on this machine, and nobody named one. Run: drwn write --also claude-code",
    );
    expect(fs.readdirSync(bare.home)).toEqual([".agents"]);
    expect((await bare.drwn("status", "--check")).status).toBe(3);
  });

  test("an agent that came after the last write is NOT GUARDED in the first line, until the next one", async () => {
    const machine = await consented(person({ folders: [".claude"] }));
    expect(firstLine((await machine.drwn("write")).stdout)).toBe("Guarded: Claude Code");
    fs.mkdirSync(path.join(machine.home, ".gemini"));
    expect(firstLine((await machine.drwn("status")).stdout)).toMatch(/^NOT GUARDED in Gemini CLI: .*Run: drwn write$/u);
    expect((await machine.drwn("status", "--check")).status).toBe(3);
    expect((await machine.drwn("install")).stdout).toContain("Guarded: Claude Code, Gemini CLI");
    expect((await machine.drwn("status", "--check")).status).toBe(0);
  });
});

describe("a person's choice of agents", () => {
  const LEFT =
    "Guarded: Claude Code. NOT GUARDED: Gemini CLI (found here, left out by choice). Run: drwn write --also gemini-cli";

  test("wins over config.json until `--runtime all`, and says whom it leaves out", async () => {
    const machine = await consented(person({ folders: [".claude", ".gemini"] }), ["gemini-cli"]);
    expect(firstLine((await machine.drwn("write", "--runtime", "claude-code")).stdout)).toBe(LEFT);
    const kept = (await machine.drwn("write")).stdout.split("\n");
    expect(kept.slice(0, 2)).toEqual([LEFT, "Already up to date"]);
    for (const command of ["status", "install"]) expect((await machine.drwn(command)).stdout).toContain(LEFT);
    for (const command of ["status", "write"])
      expect([command, (await machine.drwn(command, "--check")).status]).toEqual([command, 0]);
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    expect(firstLine((await machine.drwn("write", "--runtime", "all")).stdout)).toBe(
      "Guarded: Claude Code, Gemini CLI",
    );
    expect(firstLine((await machine.drwn("write")).stdout)).toBe("Guarded: Claude Code, Gemini CLI");
  });

  test("`--also` adds to the choice, and to what is found", async () => {
    const machine = await consented(person({ folders: [".claude", ".gemini"] }));
    await machine.drwn("write", "--also", "copilot-cli");
    await machine.drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE, COPILOT, GEMINI]);
    await machine.drwn("write", "--runtime", "claude-code");
    await machine.drwn("write", "--also", "gemini-cli");
    await machine.drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE, GEMINI]);
  });

  test("for every folder is kept in what is asked for there", async () => {
    const machine = person({ folders: [".claude", ".gemini"] });
    await machine.drwn("add", "--global", CARD, "--trust", "--yes");
    const chosen = await machine.drwn("write", "--global", "--runtime", "claude-code");
    expect(firstLine(chosen.stdout)).toBe(LEFT.replace("drwn write", "drwn write --global"));
    expect((await machine.drwn("write", "--global")).stdout.split("\n").slice(0, 2)).toEqual([
      LEFT.replace("drwn write", "drwn write --global"),
      "Already up to date",
    ]);
    for (const command of ["status", "write"])
      expect((await machine.drwn(command, "--global", "--check")).status).toBe(0);
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    await machine.drwn("write", "--global", "--runtime", "all");
    expect(wiredAt(machine)).toEqual([CLAUDE, GEMINI]);
  });

  test("named by half of its name is answered with the whole command", async () => {
    const { status, stderr } = await person({}).drwn("write", "--runtime", "claude");
    expect([status, stderr]).toEqual([2, expect.stringContaining("hint: drwn write --runtime claude-code\n")]);
  });
});

describe("in force", () => {
  test("is said of the agents in which it holds", async () => {
    const machine = await consented(person({ folders: [".claude", ".gemini"] }));
    writeTree(machine.project, { ".claude/settings.json": '{"disableAllHooks":true}' });
    expect((await machine.drwn("write")).stdout).toContain(
      "in force in Gemini CLI, NOT in Claude Code: 1 hook policy of",
    );
    expect((await machine.drwn("status")).stdout).toContain("in force only in Gemini CLI");
    expect((await machine.drwn("why", CARD)).stdout).toMatch(/in force {4}1\.0\.0 .*, only in Gemini CLI\n/u);
  });

  test("is denied once, with the reason", async () => {
    const machine = await consented(person({ folders: [".claude", ".gemini"] }));
    writeTree(machine.project, { ".claude/settings.json": '{"disableAllHooks":true}' });
    for (const command of ["write", "status", "install", "list"]) {
      const { stdout, stderr } = await machine.drwn(command);
      expect((stdout + stderr).match(/keeps Claude Code from/gu), command).toHaveLength(1);
    }
  });
});
