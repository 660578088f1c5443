import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../../src/cli/commands/add.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import CardUntrust from "../../../src/cli/commands/card/untrust.ts";
import Doctor from "../../../src/cli/commands/doctor.ts";
import Log from "../../../src/cli/commands/log.ts";
import Status from "../../../src/cli/commands/status.ts";
import Write from "../../../src/cli/commands/write.ts";
import { layout } from "../../../src/contract/layout.ts";
import { GLOBAL_KEY } from "../../../src/contract/scopes.ts";
import { diagnoseBoth } from "../../../src/operations/diagnose/diagnose.ts";
import { readStatus, readStatusOfBoth } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { listBoth } from "../../../src/operations/project/list.ts";
import { pauseProject } from "../../../src/operations/project/pause.ts";
import { uninstall, uninstallGlobal } from "../../../src/operations/project/uninstall.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import { AGENT_IDS } from "../../../src/policy/event.ts";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { runCommand } from "../../support/cli.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { entriesOf, machineOf, snapshot, userSettings } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, guardedProject, inAgent, newProject, publish, trust, write } from "../../support/projects.ts";

const FLOOR = "@me/floor";
const PLAIN = { dryRun: false, purge: false, shared: false };

/** The same machine, asked about every folder, as `--global` does. */
const everywhere = (host: TestHost): TestHost => ({ ...host, scope: "global" });

/** At a terminal, and at the moment at which the hook runs. */
const personNow = (host: TestHost) => ({ ...host, isAtTerminal: true, now: () => new Date() });

/** A guard of Bash for every folder is in force, whatever else there is. */
async function guardEverywhere(host: TestHost, hooks = { guard: { matcher: "Bash" } }): Promise<TestHost> {
  const global = everywhere(host);
  await publish(host, { name: FLOOR, hooks });
  await addCards(global, [FLOOR]);
  await trust(global, { card: FLOOR });
  await write(global);
  return global;
}

/** What Claude Code gets to hear in the folder. */
function ask(host: TestHost, folder: string): string {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: folder };
  const command = hookCommand({ home: host.drwnHome, runtime: "claude-code", phase: "pre" });
  const env = { PATH: process.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: folder };
  const options = { cwd: folder, env, input: JSON.stringify(event), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], options);
  return `${status} ${stdout}${stderr}`;
}

describe("drwn write --global", () => {
  test("guards every folder with one entry in the user's settings, and changes nothing the second time", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    expect(entriesOf(userSettings(host))["PreToolUse"]).toHaveLength(1);
    for (const folder of [host.cwd, host.home, machineOf(host)]) expect(ask(host, folder)).toContain(FLOOR);
    expect((await write(global)).changes).toEqual([]);
    expect(readStatus(global)).toMatchObject({ scope: "global", planInForce: true, guarding: { ok: true } });
  });

  test("leaves the entry of projects as it is, and theirs leaves this one", async () => {
    const host = await guardedProject();
    const before = fs.readFileSync(userSettings(host), "utf8");
    const global = await guardEverywhere(host);
    expect(fs.readFileSync(userSettings(host), "utf8")).toBe(before);
    await revokeConsent(host, CARD);
    await write(host);
    expect(fs.readFileSync(userSettings(host), "utf8")).toBe(before);
    await revokeConsent(global, FLOOR);
    await write(global);
    expect(fs.existsSync(userSettings(host))).toBe(false);
  });

  test("asks the hook about what every folder and the projects want together", async () => {
    const host = await guardedProject();
    await guardEverywhere(host, { guard: { matcher: "Edit" } });
    expect(entriesOf(userSettings(host))["PreToolUse"]).toEqual([{ hooks: [expect.anything()] }]);
  });

  test.each(AGENT_IDS)(
    "for %s is wired in what is the user's own, or refused before anything is written",
    async (runtime) => {
      const host = testHost();
      const global = everywhere(host);
      await publish(host, { name: FLOOR, hooks: { guard: { matcher: "Bash" } } });
      await addCards(global, [FLOOR]);
      await trust(global, { card: FLOOR });
      const before = snapshot(machineOf(host));
      const request = { wiring: undefined, runtimes: [runtime] };
      if (runtime === "mastra" || runtime === "arawn") {
        expect((await problemOf(() => writeProject(global, request))).code).toBe("DRWN_AGENT_PROJECT_ONLY");
        expect(snapshot(machineOf(host))).toEqual(before);
        return;
      }
      const { agents } = await writeProject(global, request);
      expect(agents.map(({ file }) => file.startsWith(`${host.home}/`) && !file.includes("/global/"))).toEqual([true]);
      const under = Object.keys(snapshot(layout.global(host.drwnHome)));
      expect(under.filter((file) => !file.startsWith(".agents"))).toEqual([]);
    },
  );

  test("gives the agents no skills and no servers, and says so", async () => {
    const host = testHost();
    const global = everywhere(host);
    const manifest = { skills: { include: ["style"] }, servers: { db: { command: "db" } } };
    await publish(host, {
      name: FLOOR,
      hooks: { guard: {} },
      manifest,
      files: { "skills/style/SKILL.md": "# Style\n" },
    });
    await addCards(global, [FLOOR]);
    await trust(global, { card: FLOOR });
    const { findings, changes, servers } = await write(global);
    expect(findings).toMatchObject([{ code: "hooks-alone", subject: FLOOR }]);
    expect(servers).toEqual([]);
    expect(changes.filter(({ path: file }) => /skills|mcp/u.test(file))).toEqual([]);
  });

  test("with a project that is the whole disk keeps its marker", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    const marker = layout.marker(host.drwnHome, "/");
    fs.writeFileSync(marker, `${"ab".repeat(32)}\n`);
    await write(global);
    await revokeConsent(global, FLOOR);
    await write(global);
    expect(fs.readFileSync(marker, "utf8")).toBe(`${"ab".repeat(32)}\n`);
    expect(fs.existsSync(layout.globalRecord(host.drwnHome))).toBe(false);
  });
});

describe("what holds in every folder", () => {
  test("is said beside the project, with commands that are about it", async () => {
    const host = await guardedProject();
    const global = await guardEverywhere(host);
    expect(await readStatusOfBoth(host)).toMatchObject({
      cards: [{ name: CARD }],
      global: { cards: [{ name: FLOOR }] },
    });
    expect(listBoth(global).global).toBeNull();
    fs.rmSync(layout.ledger(host.drwnHome, GLOBAL_KEY));
    const status = await readStatusOfBoth(host);
    expect(status).toMatchObject({ global: { guarding: { ok: false } } });
    expect(status.global?.findings[0]?.hint).toBe(
      "drwn trust --global, or drwn card untrust --global <card> --hooks and drwn write --global",
    );
    expect(await diagnoseBoth(host)).toMatchObject({ ok: false, global: { ok: false } });
    expect(ask(host, host.cwd)).toContain("drwn trust --global");
  });

  test("is not loosened by the project: its consents, its pause and its removal are its own", async () => {
    const host = await guardedProject();
    await guardEverywhere(host);
    await pauseProject(personNow(host), 5);
    expect(ask(host, host.cwd)).toContain(FLOOR);
    await revokeConsent(host, CARD);
    await write(host);
    expect(ask(host, host.cwd)).toContain(FLOOR);
  });

  test("is a person's to change, from anywhere", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    for (const deed of [() => revokeConsent(inAgent(global), FLOOR), () => uninstallGlobal(inAgent(global), PLAIN)]) {
      expect((await problemOf(deed)).code).toBe("DRWN_AGENT_SESSION");
    }
    await pauseProject(personNow(global), 5);
    expect(ask(host, host.cwd)).toBe("0 ");
    expect(readStatus(personNow(global))).toMatchObject({ guarding: { agents: [{ state: "paused" }] } });
    await revokeConsent(global, FLOOR);
    expect(ask(host, host.cwd)).toBe("0 ");
  });

  test("keeps no agent from wiring a folder as a project, since both hold there", async () => {
    const host = newProject();
    await guardEverywhere(host);
    await publish(host);
    await addCards(host, [CARD]);
    await trust(host);
    expect((await write(inAgent(host))).plan.policies).toHaveLength(1);
  });

  test("is known when its record is gone, and write puts it back", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    for (const file of [layout.marker(host.drwnHome, "/"), layout.globalRecord(host.drwnHome)]) fs.rmSync(file);
    expect(ask(host, host.cwd)).toBe("0 ");
    expect(readStatus(global).guarding).toMatchObject({ ok: false, agents: [{ state: "unguarded" }] });
    await write(global);
    expect(ask(host, host.cwd)).toContain(FLOOR);
  });

  test("stays where the cards are taken out of its files by hand", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    fs.rmSync(layout.global(host.drwnHome), { recursive: true });
    expect((await write(global)).plan.policies).toHaveLength(1);
    expect(ask(host, host.cwd)).toContain(FLOOR);
  });
});

describe("drwn uninstall", () => {
  test("takes out what holds in every folder, too, and a session with the entry is silent", async () => {
    const host = testHost();
    const global = await guardEverywhere(host);
    await uninstall(host, PLAIN);
    expect(ask(host, host.cwd)).toBe("0 ");
    expect(fs.existsSync(userSettings(host))).toBe(false);
    await write(global);
    expect(ask(host, host.cwd)).toContain(FLOOR);
    const { removed, remaining } = await uninstall(host, { ...PLAIN, purge: true });
    expect(removed).toContain(layout.global(host.drwnHome));
    expect(remaining.map((one) => one.path).join("\n")).not.toContain(layout.global(host.drwnHome));
  });

  test("with --global takes out that alone, and with --purge the consents to it", async () => {
    const host = await guardedProject();
    const own = fs.readFileSync(userSettings(host), "utf8");
    const global = await guardEverywhere(host, { guard: { matcher: "Edit" } });
    const preview = await uninstallGlobal(global, { ...PLAIN, dryRun: true });
    const done = await uninstallGlobal(global, PLAIN);
    expect(done).toEqual(preview);
    expect(fs.readFileSync(userSettings(host), "utf8")).toBe(own);
    expect(ask(host, host.home)).toBe("0 ");
    expect(ask(host, host.cwd)).toContain(CARD);
    await write(global);
    expect(readStatus(global).guarding.ok).toBe(true);
    await uninstallGlobal(global, { ...PLAIN, purge: true });
    expect(Object.keys(snapshot(host.drwnHome)).filter((file) => file.includes(GLOBAL_KEY))).toEqual([]);
    expect(await readStatusOfBoth(host)).toMatchObject({ guarding: { ok: true }, global: null });
  });
});

describe("a command with -g", () => {
  test("adds, consents, writes, shows and withdraws, from a folder that is no project", async () => {
    const host = testHost();
    await publish(host, { name: FLOOR, hooks: { guard: { matcher: "Bash" } } });
    const added = await runCommand(host, Add, "-g", FLOOR);
    expect(added.stdout).toContain("Next: drwn trust --global");
    expect((await runCommand(host, CardTrust, FLOOR, "--hooks", "--yes", "--global")).stdout).toContain(
      "drwn write --global",
    );
    expect((await runCommand(host, Write, "-g")).stdout).toContain("Guarded: Claude Code");
    expect((await runCommand(host, Status, "-g", "--check")).exitCode).toBe(0);
    expect(JSON.parse((await runCommand(host, Doctor, "-g", "--json")).stdout)).toMatchObject({
      ok: true,
      findings: [],
    });
    ask(host, host.cwd);
    expect((await runCommand(host, Log, "-g")).stdout).toContain("deny");
    expect((await runCommand(host, CardUntrust, FLOOR, "-g")).stdout).toContain("silent now");
    expect(ask(host, host.cwd)).toBe("0 ");
  });

  test("without it says that there is no project, and what else it could be about", async () => {
    const host = testHost();
    await guardEverywhere(host);
    const { stderr, exitCode } = await runCommand(host, Status);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/no drwn project[\s\S]*drwn init, or: drwn .*--global/u),
    ]);
  });

  test("does not take the machine's own settings in the home for a project", async () => {
    const host = testHost();
    fs.mkdirSync(host.drwnHome, { recursive: true });
    fs.writeFileSync(path.join(host.drwnHome, "config.json"), '{"version":1}\n');
    expect((await runCommand(host.at(host.home), Status)).stderr).toContain("DRWN_PROJECT_MISSING");
  });

  test("of what concerns a project alone is a mistake in the command line", async () => {
    const host = testHost();
    for (const flag of ["--project", "--shared"]) {
      expect((await runCommand(host, Write, "-g", flag)).exitCode).toBe(2);
    }
  });
});

test("the folder with what is asked for in every folder is no project beside that", async () => {
  const host = testHost();
  const global = await guardEverywhere(host);
  const inside = host.at(layout.global(host.drwnHome));
  expect(readStatus(inside)).toEqual(readStatus(global));
  expect((await problemOf(() => initProject(inside))).code).toBe("DRWN_PROJECT_EXISTS");
});
