import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { removeTree } from "../../src/kernel/files.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { pauseProject } from "../../src/operations/project/pause.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import { projectFiles } from "../../src/project/identity.ts";
import { committedCommand } from "../../src/wiring/launcher.ts";
import { type TestHost, testHost } from "../support/host.ts";
import { editJson } from "../support/machine-state.ts";
import { problemOf } from "../support/problems.ts";
import { CARD, GUARD, guardedProject, installed, newProject, publish, trust, write } from "../support/projects.ts";

function require(host: TestHost, ...requirements: string[]): void {
  editJson<Record<string, unknown>>(projectFiles.config(host.cwd), (config) => {
    config["requireHooks"] = requirements;
  });
}

const sharedFile = (host: TestHost): string => path.join(host.cwd, ".claude", "settings.json");

/** What the committed entry says to a tool call: nothing, or why it blocks. */
function ask(host: TestHost, cwd = host.cwd): string {
  const env = { PATH: process.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: cwd };
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd };
  const options = { cwd, env, input: JSON.stringify(event), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", committedCommand("claude-code")], options);
  if (status === 2) return stderr;
  return stdout === "" ? `nothing (${status})` : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
}

const NOTHING = "nothing (0)";

describe("the entry that a project commits", () => {
  test("is put there by `write --shared`, stays by itself, and goes when nothing is required", async () => {
    const host = await guardedProject();
    require(host, CARD);
    await write(host);
    expect(fs.existsSync(sharedFile(host))).toBe(false);
    await writeProject(host, { wiring: undefined, shared: true });
    expect(JSON.parse(fs.readFileSync(sharedFile(host), "utf8")).hooks.PreToolUse).toHaveLength(1);
    expect((await write(host)).changes).toEqual([]);
    require(host);
    await write(host);
    expect(fs.existsSync(sharedFile(host))).toBe(false);
  });

  test("names no path of the machine that wrote it", () => {
    expect(committedCommand("claude-code")).not.toMatch(/\/(?:home|root|Users|tmp)\//u);
    expect(committedCommand("claude-code")).not.toContain("DRWN_HOME");
  });

  test("says nothing where what is required is in force", async () => {
    const host = await guardedProject();
    require(host, CARD, `${CARD}@^1.0.0`);
    expect((await write(host)).findings).toEqual([]);
    expect(ask(host)).toBe(NOTHING);
  });

  test("says nothing, and status neither, while a later version waits for `write`", async () => {
    const host = await guardedProject();
    require(host, CARD);
    await write(host);
    await publish(host, { ...GUARD, version: "1.0.1" });
    await updateCards(host, { names: [], latest: false, dryRun: false });
    expect(ask(host)).toBe(NOTHING);
    expect(readStatus(host).guarding).toMatchObject({ ok: true, agents: [{ state: "guarded" }] });
  });

  test.each<[string, string, (host: TestHost) => unknown]>([
    ["drwn is not set up", "this project requires hook policies. Run: drwn init", (host) => removeTree(host.drwnHome)],
    ["the hook process is gone", "the hook process is missing", (host) => fs.rmSync(layout.hook(host.drwnHome))],
    ["the consent was withdrawn", `requires the hook policies of ${CARD}`, (host) => revokeConsent(host, CARD)],
    [
      "it is only a shadow from now on, and nobody wrote",
      `requires the hook policies of ${CARD}`,
      (host) => grantConsent(host, reviewConsent(host, { card: CARD, range: null, mode: "shadow" })),
    ],
    ["the ledger is gone", "is missing", (host) => fs.rmSync(layout.ledgers(host.drwnHome), { recursive: true })],
    ["the requirement was raised and nobody wrote", `${CARD}@^2.0.0`, (host) => require(host, `${CARD}@^2.0.0`)],
    ["the config cannot be read", "cannot be read", (host) => fs.writeFileSync(projectFiles.config(host.cwd), "{")],
    [
      "the config names no list",
      "cannot be read",
      (host) => fs.writeFileSync(projectFiles.config(host.cwd), '{"requireHooks":1}'),
    ],
  ])("blocks, with what to do, where %s", async (_, text, spoil) => {
    const host = await guardedProject();
    require(host, CARD);
    await write(host);
    await spoil(host);
    expect(ask(host)).toContain(text);
  });

  test("blocks on a machine that has just cloned the project, and on one that only shadows it", async () => {
    const host = await guardedProject();
    const clone = path.join(path.dirname(host.home), "clone");
    fs.cpSync(host.cwd, clone, { recursive: true });
    expect(ask(host, clone)).toContain("nothing is in force for it on this machine");
    require(host, CARD);
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null, mode: "shadow" }));
    const { findings } = await write(host);
    expect(findings.map(({ code }) => code)).toContain("required-hooks-unmet");
    expect(ask(host)).toContain(CARD);
  });

  test.each([
    [[".claude"], ["blocked"]],
    // Codex has no entry that a project can commit.
    [
      [".claude", ".codex"],
      ["unguarded", "unguarded"],
    ],
  ])("is said to block only where each agent has it: %j", async (agents, standings) => {
    const host = testHost();
    for (const agent of agents) fs.mkdirSync(path.join(host.home, agent), { recursive: true });
    initProject(host);
    await publish(host);
    await addCards(host, [CARD]);
    await trust(host);
    require(host, "@me/other");
    await writeProject(host, { wiring: undefined, shared: true });
    expect(readStatus(host).guarding?.agents.map(({ state }) => state)).toEqual(standings);
  });

  test("judges a project inside another one by its own consents", async () => {
    const host = await guardedProject();
    require(host, CARD);
    await write(host);
    const inner = host.at(path.join(host.cwd, "packages"));
    fs.mkdirSync(inner.cwd);
    expect(ask(host, inner.cwd)).toBe(NOTHING);
    initProject(inner);
    expect(ask(host, inner.cwd)).toContain("nothing is in force for it");
  });

  test("lets a person's pause be", async () => {
    const host = await guardedProject();
    require(host, CARD);
    await write(host);
    await pauseProject({ ...host, now: () => new Date(), isAtTerminal: true }, 5);
    expect(ask(host)).toBe(NOTHING);
  });
});

describe("what a project requires", () => {
  test("consents to nothing, and is said by write and doctor until it is met", async () => {
    const host = await installed(GUARD);
    require(host, `${CARD}@^1.0.0`);
    const before = await write(host);
    expect(before.plan.policies).toEqual([]);
    expect(before.findings).toContainEqual(
      expect.objectContaining({ code: "required-hooks-unmet", severity: "error" }),
    );
    expect((await diagnoseProject(host)).findings.map(({ code }) => code)).toContain("required-hooks-unmet");
    await trust(host);
    expect((await write(host)).findings).toEqual([]);
  });

  test("is not met by an approved version outside its range", async () => {
    const host = await guardedProject();
    await publish(host, { ...GUARD, version: "2.0.0" });
    require(host, `${CARD}@^2.0.0`);
    await addCards(host, [`${CARD}@^2.0.0`]);
    expect((await write(host)).findings.map(({ code }) => code)).toContain("required-hooks-unmet");
    expect(ask(host)).toContain(`${CARD}@^2.0.0`);
  });

  test.each(["backend", "@me", "@me/backend@", "@me/backend@not-a-range", "", "@me/../x"])(
    "is not %j",
    async (text) => {
      const host = newProject();
      require(host, text);
      expect((await problemOf(() => write(host))).code).toBe("DRWN_FILE_INVALID");
    },
  );
});
