import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { SystemMachine, whyNoMachine } from "../support/system-machine.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/drwn.js");
const CARD = "@drwn/secrets";

interface Person {
  home: string;
  project: string;
  drwn: (...args: string[]) => { status: number | null; stdout: string; stderr: string };
}

/** Somebody with these folders of agents at home, and these programs on PATH. */
function person({ folders = [], programs = [] }: { folders?: string[]; programs?: string[] }): Person {
  const base = fs.realpathSync(temporaryFolder());
  const [home, project, bin] = ["home", "project", "bin"].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [project, bin, home, ...folders.map((name) => path.join(home, name))])
    fs.mkdirSync(folder, { recursive: true });
  for (const name of programs) fs.writeFileSync(path.join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  const drwn: Person["drwn"] = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: project,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  return { home, project, drwn };
}

/** A project with a card that the person has consented to; its config.json names these agents, if any. */
function consented(machine: Person, runtimes?: string[]): Person {
  machine.drwn("init");
  machine.drwn("add", CARD, "--trust", "--yes");
  if (runtimes !== undefined) {
    const file = path.join(machine.project, ".agents/drwn/config.json");
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), runtimes }));
  }
  return machine;
}

/** The files of agents at home that ask drwn. */
function wiredAt({ home }: Person): string[] {
  const files = fs.readdirSync(home, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => !file.startsWith(".agents") && fs.statSync(path.join(home, file)).isFile())
    .filter((file) => fs.readFileSync(path.join(home, file), "utf8").includes("/bin/hook"))
    .sort();
}

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
const GEMINI = ".gemini/settings.json";
const COPILOT = ".copilot/hooks/drwn.json";
const CLAUDE = ".claude/settings.json";

describe("which agents are guarded", () => {
  test("a teammate's own agents, and never an agent that the project names and the machine doesn't have", () => {
    const teammate = consented(person({ folders: [".codex", ".gemini"] }), ["claude-code"]);
    for (const command of ["write", "install", "status"]) {
      const { stdout } = teammate.drwn(command);
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

  test("nothing is made for an agent that isn't there and that nobody named", () => {
    const machine = consented(person({ folders: [".gemini"] }));
    machine.drwn("write");
    expect(fs.readdirSync(machine.home).sort()).toEqual([".agents", ".gemini"]);
    const bare = consented(person({}));
    expect(firstLine(bare.drwn("write").stdout)).toBe(
      "NOT GUARDED: no agent was found on this machine, and nobody named one. Run: drwn write --also claude-code",
    );
    expect(fs.readdirSync(bare.home)).toEqual([".agents"]);
    expect(bare.drwn("status", "--check").status).toBe(3);
  });

  test("a program on PATH that was never started, beside another agent's folder", () => {
    const machine = person({ folders: [".gemini"], programs: ["claude"] });
    expect(machine.drwn("init").stdout).toContain("claude-code, gemini-cli");
    consented(machine);
    expect(firstLine(machine.drwn("write").stdout)).toBe("Guarded: Claude Code, Gemini CLI");
    expect(wiredAt(machine)).toEqual([CLAUDE, GEMINI]);
  });

  test("Claude Code beside Mastra in an app", () => {
    const machine = person({ folders: [".claude"] });
    writeTree(machine.project, { "package.json": JSON.stringify({ dependencies: { "@mastra/core": "^1.71.0" } }) });
    expect(machine.drwn("init").stdout).toContain("claude-code, mastra");
    consented(machine).drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    expect(fs.existsSync(path.join(machine.project, ".agents/drwn/mastra.js"))).toBe(true);
  });

  test("an agent that came after the last write is NOT GUARDED in the first line, until the next one", () => {
    const machine = consented(person({ folders: [".claude"] }));
    expect(firstLine(machine.drwn("write").stdout)).toBe("Guarded: Claude Code");
    fs.mkdirSync(path.join(machine.home, ".gemini"));
    expect(firstLine(machine.drwn("status").stdout)).toMatch(/^NOT GUARDED in Gemini CLI: .*Run: drwn write$/u);
    expect(machine.drwn("status", "--check").status).toBe(3);
    expect(machine.drwn("install").stdout).toContain("Guarded: Claude Code, Gemini CLI");
    expect(machine.drwn("status", "--check").status).toBe(0);
  });
});

describe("a person's choice of agents", () => {
  const LEFT =
    "Guarded: Claude Code. NOT GUARDED: Gemini CLI (found here, left out by choice). Run: drwn write --also gemini-cli";

  test("wins over config.json until `--runtime all`, and says whom it leaves out", () => {
    const machine = consented(person({ folders: [".claude", ".gemini"] }), ["gemini-cli"]);
    expect(firstLine(machine.drwn("write", "--runtime", "claude-code").stdout)).toBe(LEFT);
    const kept = machine.drwn("write").stdout.split("\n");
    expect(kept.slice(0, 2)).toEqual([LEFT, "Already up to date"]);
    for (const command of ["status", "install"]) expect(machine.drwn(command).stdout).toContain(LEFT);
    for (const command of ["status", "write"])
      expect([command, machine.drwn(command, "--check").status]).toEqual([command, 0]);
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    expect(firstLine(machine.drwn("write", "--runtime", "all").stdout)).toBe("Guarded: Claude Code, Gemini CLI");
    expect(firstLine(machine.drwn("write").stdout)).toBe("Guarded: Claude Code, Gemini CLI");
  });

  test("`--also` adds to the choice, and to what is found", () => {
    const machine = consented(person({ folders: [".claude", ".gemini"] }));
    machine.drwn("write", "--also", "copilot-cli");
    machine.drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE, COPILOT, GEMINI]);
    machine.drwn("write", "--runtime", "claude-code");
    machine.drwn("write", "--also", "gemini-cli");
    machine.drwn("write");
    expect(wiredAt(machine)).toEqual([CLAUDE, GEMINI]);
  });

  test("for every folder is kept in what is asked for there", () => {
    const machine = person({ folders: [".claude", ".gemini"] });
    machine.drwn("add", "--global", CARD, "--trust", "--yes");
    machine.drwn("write", "--global", "--runtime", "claude-code");
    expect(machine.drwn("write", "--global").stdout.split("\n").slice(0, 2)).toEqual([
      LEFT.replace("drwn write", "drwn write --global"),
      "Already up to date",
    ]);
    for (const command of ["status", "write"]) expect(machine.drwn(command, "--global", "--check").status).toBe(0);
    expect(wiredAt(machine)).toEqual([CLAUDE]);
    machine.drwn("write", "--global", "--runtime", "all");
    expect(wiredAt(machine)).toEqual([CLAUDE, GEMINI]);
  });

  test("named by half of its name is answered with the whole command", () => {
    const { status, stderr } = person({}).drwn("write", "--runtime", "claude");
    expect([status, stderr]).toEqual([2, expect.stringContaining("hint: drwn write --runtime claude-code\n")]);
  });

  test.skipIf(whyNoMachine() !== undefined)("for every user converges", () => {
    const floor = new SystemMachine();
    floor.drwn("add", "--system", "--trust", "--yes", "@drwn/cloud");
    floor.drwn("write", "--system", "--runtime", "claude-code", "--runtime", "codex");
    expect(floor.drwn("status", "--system", "--check").status).toBe(0);
    expect(floor.drwn("write", "--system", "--check").status).toBe(0);
    expect(floor.drwn("write", "--system").stdout).toContain("Already up to date");
    expect(fs.existsSync(floor.at("gemini-cli/settings.json"))).toBe(false);
    floor.drwn("write", "--system", "--runtime", "all");
    expect(fs.existsSync(floor.at("gemini-cli/settings.json"))).toBe(true);
  });
});

test.each([1, 2])(
  "the hints of doctor agree: in any order (%d) they end with no hint, and no guard is lost",
  (seed) => {
    const machine = consented(person({ folders: [".claude", ".copilot", ".gemini"] }));
    machine.drwn("write", "--runtime", "claude-code");
    const random = randomFrom(seed);
    for (let round = 0; round < 8; round++) {
      const { findings } = JSON.parse(machine.drwn("doctor", "--json").stdout) as {
        findings: { hint: string | null }[];
      };
      const hints = [...new Set(findings.flatMap(({ hint }) => (hint?.startsWith("drwn write") ? hint : [])))];
      if (hints.length === 0) break;
      for (const hint of hints.sort(() => random() - 0.5)) {
        const before = wiredAt(machine);
        machine.drwn(...hint.split(" ").slice(1));
        expect(wiredAt(machine)).toEqual(expect.arrayContaining(before));
      }
    }
    expect(wiredAt(machine)).toEqual([CLAUDE, COPILOT, GEMINI]);
    expect(machine.drwn("doctor").status).toBe(0);
  },
);

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe("in force", () => {
  test("isn't said under NOT GUARDED", () => {
    const machine = consented(person({ folders: [".claude"] }));
    writeTree(machine.project, { ".claude/settings.json": '{"disableAllHooks":true}' });
    for (const command of ["write", "install", "status"]) {
      const { stdout } = machine.drwn(command);
      expect([command, stdout]).toEqual([command, expect.stringContaining("NOT GUARDED in Claude Code")]);
      expect([command, stdout.replaceAll("NOT in force", "")]).toEqual([
        command,
        expect.not.stringContaining("in force"),
      ]);
    }
  });

  test("is said of the agents in which it holds", () => {
    const machine = consented(person({ folders: [".claude", ".gemini"] }));
    writeTree(machine.project, { ".claude/settings.json": '{"disableAllHooks":true}' });
    expect(machine.drwn("write").stdout).toContain("in force in Gemini CLI, NOT in Claude Code: 4 hook policies");
    expect(machine.drwn("status").stdout).toContain("in force in Gemini CLI alone");
  });
});
