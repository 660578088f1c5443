import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findLostEntries } from "../../../src/check/lost-home.ts";
import Add from "../../../src/cli/commands/add.ts";
import Allow from "../../../src/cli/commands/allow.ts";
import CardNew from "../../../src/cli/commands/card/new.ts";
import Doctor from "../../../src/cli/commands/doctor.ts";
import Install from "../../../src/cli/commands/install.ts";
import List from "../../../src/cli/commands/list.ts";
import Log from "../../../src/cli/commands/log.ts";
import Status from "../../../src/cli/commands/status.ts";
import Trust from "../../../src/cli/commands/trust.ts";
import Uninstall from "../../../src/cli/commands/uninstall.ts";
import Write from "../../../src/cli/commands/write.ts";
import { layout } from "../../../src/contract/layout.ts";
import { removeTree } from "../../../src/kernel/files.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import type { AgentId } from "../../../src/policy/event.ts";
import { callTool } from "../../hostile/machine.ts";
import { type CommandClass, runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { machineOf, userSettings } from "../../support/machine-state.ts";
import { guardedProject } from "../../support/projects.ts";
import { sweep } from "../../support/sweep.ts";

/** A folder in no project, on a machine whose settings ask the hook of a home that is gone. */
async function afterLoss(lose = ({ drwnHome }: TestHost) => removeTree(drwnHome), runtime: AgentId = "claude-code") {
  const guarded = await guardedProject();
  await writeProject(guarded, { wiring: undefined, runtimes: [runtime] });
  lose(guarded);
  const elsewhere = guarded.at(path.join(machineOf(guarded), "elsewhere"));
  fs.mkdirSync(elsewhere.cwd);
  return { guarded, elsewhere };
}

const firstLine = async (host: TestHost, ...flags: string[]) => {
  const { stdout, exitCode } = await runCommand(host, Status, ...flags);
  return [stdout.split("\n")[0], exitCode];
};

const blocked = (home: string) =>
  `Every tool call is blocked in Claude Code: its settings start the hook in ${home}, which is gone. Run: drwn write`;

describe("a home that is gone, with the entry left", () => {
  test.each(["in no project", "in one where nobody consented", "in the one that was guarded"])(
    "%s: status and doctor say so, and write ends it",
    async (where) => {
      const { guarded, elsewhere } = await afterLoss();
      const host = where === "in the one that was guarded" ? guarded : elsewhere;
      if (where === "in one where nobody consented") initProject(host);
      expect(callTool(host)).toBe("blocked");
      expect(await firstLine(host, "--check")).toEqual([blocked(host.drwnHome), 3]);
      expect((await runCommand(host, Doctor)).exitCode).toBe(3);
      const { stdout, stderr } = await runCommand(host, Write);
      expect(stdout + stderr).toContain(`Took drwn's entry out of ${userSettings(host)}`);
      expect(fs.readFileSync(userSettings(host), "utf8")).not.toContain("bin/hook");
      if (where !== "in no project") expect((await firstLine(host))[0]).not.toContain("blocked");
    },
  );

  test.each<AgentId>(["codex", "gemini-cli", "copilot-cli", "opencode", "cursor", "astrid", "polytoken"])(
    "in %s: status says so, and uninstall ends it",
    async (runtime) => {
      const { elsewhere } = await afterLoss(undefined, runtime);
      expect((await firstLine(elsewhere, "--check"))[1]).toBe(3);
      expect((await runCommand(elsewhere, Uninstall)).exitCode).toBe(0);
      expect((await firstLine(elsewhere, "--check"))[1]).toBe(1);
    },
  );

  test("with settings that came from another machine, which has another home: write takes the entry out", async () => {
    const { elsewhere } = await afterLoss();
    const here = { ...elsewhere, drwnHome: path.join(machineOf(elsewhere), "other/.agents/drwn") };
    expect(await firstLine(here, "--check")).toEqual([blocked(elsewhere.drwnHome), 3]);
    expect((await runCommand(here, Write)).exitCode).toBe(0);
    expect(fs.readFileSync(userSettings(here), "utf8")).not.toContain("bin/hook");
  });

  test("and settings of another agent that can't be read: the entry is found all the same", async () => {
    const { elsewhere } = await afterLoss();
    const here = { ...elsewhere, drwnHome: path.join(machineOf(elsewhere), "other/.agents/drwn") };
    const closed = path.join(here.home, ".gemini/settings.json");
    fs.mkdirSync(path.dirname(closed));
    fs.writeFileSync(closed, "{}", { mode: 0o000 });
    const nobody = 65_534;
    const isRoot = process.getuid?.() === 0;
    if (isRoot) fs.chownSync(userSettings(here), nobody, nobody);
    if (isRoot) for (const place of [here.home, machineOf(here)]) fs.chmodSync(place, 0o755);
    if (isRoot) fs.chmodSync(path.dirname(userSettings(here)), 0o755);
    if (isRoot) process.seteuid?.(nobody);
    try {
      expect(findLostEntries(here).map(({ runtime }) => runtime)).toEqual(["claude-code"]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test("an agent doesn't take the entry out", async () => {
    const { elsewhere } = await afterLoss();
    const agent = { ...elsewhere, env: { ...elsewhere.env, CLAUDECODE: "1" } };
    const { exitCode, stderr } = await runCommand(agent, Write);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("an agent may not")]);
    expect(callTool(elsewhere)).toBe("blocked");
  });
});

describe("something else in the place of the home, with the entry left", () => {
  const OBSTACLES: [string, string, (place: string) => void][] = [
    ["a link that leads nowhere", ".agents", (place) => fs.symlinkSync("/nowhere/at/all", place)],
    ["a link to itself", ".agents", (place) => fs.symlinkSync(place, place)],
    ["a file", ".agents", (place) => fs.writeFileSync(place, "")],
    ["a link that leads nowhere", ".agents/drwn", (place) => fs.symlinkSync("/nowhere/at/all", place)],
    ["a file", ".agents/drwn", (place) => fs.writeFileSync(place, "")],
  ];
  const COMMANDS: [CommandClass, ...string[]][] = [
    ...["--dry-run", "--check", "--global"].map((flag): [CommandClass, string] => [Write, flag]),
    ...["--dry-run", "--global"].map((flag): [CommandClass, string] => [Uninstall, flag]),
    [Write],
    [Uninstall],
    [Add, "@drwn/git"],
    [Install],
    [List],
    [Trust],
    [Log],
    [Allow, "--list"],
    [CardNew, "@me/x"],
  ];
  test.each(sweep(OBSTACLES, 2))("%s at ~/%s: every command says so, and what they say ends it", async (_, at, put) => {
    const { guarded, elsewhere } = await afterLoss((host) => {
      removeTree(path.join(host.home, at));
      put(path.join(host.home, at));
    });
    const place = path.join(elsewhere.home, at);
    const hint = `mv ${place} ${place}-other && drwn write`;
    for (const host of [guarded, elsewhere]) {
      expect(callTool(host)).toBe("blocked");
      expect(await firstLine(host, "--check")).toEqual([
        expect.stringMatching(/^Every tool call is blocked.* mv .*/u),
        3,
      ]);
      expect((await runCommand(host, Doctor)).stdout).toContain(hint);
      for (const [Command, ...words] of COMMANDS) {
        const { stderr, exitCode } = await runCommand(host, Command, ...words);
        const shown = [Command.name, words, exitCode, stderr];
        expect(shown).toEqual([Command.name, words, 1, expect.stringContaining(`hint: ${hint}`)]);
      }
    }
    fs.renameSync(place, `${place}-other`);
    expect((await runCommand(elsewhere, Write)).exitCode).toBe(0);
    expect(fs.readFileSync(userSettings(elsewhere), "utf8")).not.toContain("bin/hook");
  });
});

test("where `rm -rf ~/.agents` failed halfway and left the consents, write makes hook and records anew", async () => {
  const { guarded, elsewhere } = await afterLoss(({ drwnHome: home }) => {
    for (const folder of [`${home}/bin`, layout.roots(home), layout.inodes(home)]) removeTree(folder);
  });
  expect([callTool(elsewhere), callTool(guarded)]).toEqual(["blocked", "blocked"]);
  const { stdout, exitCode } = await runCommand(elsewhere, Write);
  expect([stdout, exitCode]).toEqual([expect.stringContaining("Restored the hook"), 0]);
  expect([callTool(elsewhere), callTool(guarded)]).toEqual(["silence", "denied by the guard"]);
  expect(await firstLine(guarded, "--check")).toEqual(["Guarded: Claude Code", 0]);
});
