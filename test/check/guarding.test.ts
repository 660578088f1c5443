import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AgentState, GuardedAgent } from "../../src/check/guarding.ts";
import type { DrwnCommand } from "../../src/cli/command.ts";
import Doctor from "../../src/cli/commands/doctor.ts";
import List from "../../src/cli/commands/list.ts";
import Status from "../../src/cli/commands/status.ts";
import Why from "../../src/cli/commands/why.ts";
import Write from "../../src/cli/commands/write.ts";
import { renderGuarding } from "../../src/cli/render/guarding.ts";
import { makeStyle } from "../../src/cli/terminal/style.ts";
import { layout } from "../../src/contract/layout.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { explainCard } from "../../src/operations/diagnose/why.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { pauseProject } from "../../src/operations/project/pause.ts";
import { uninstall } from "../../src/operations/project/uninstall.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import { identifyProject } from "../../src/project/identity.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { markersOf } from "../../src/trust/project-key.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { editJson, ledgerFile, machineOf, openProjectKey, recordNode, userSettings } from "../support/machine-state.ts";
import { CARD, GUARD, guardedProject, publish, SKILL, trust } from "../support/projects.ts";
import { sweep } from "../support/sweep.ts";
import { bundleFile, planFile } from "./doctor/cases.ts";

interface Trouble {
  state: AgentState;
  /** In the first line. */
  because: RegExp;
  /** Answers with the host that it is from then on. */
  spoil: (host: TestHost) => unknown;
}

const inSettings = (settings: object) => (host: TestHost) =>
  editJson<object>(userSettings(host), (found) => Object.assign(found, settings));

function move(host: TestHost): TestHost {
  const there = path.join(machineOf(host), "moved");
  fs.renameSync(host.cwd, there);
  return host.at(there);
}

const removeMarkers = (host: TestHost) => {
  for (const file of markersOf(host.drwnHome, openProject(host).identity)) fs.rmSync(file);
};

/** What holds in every folder is in force, too, for other calls. */
async function guardEverywhere(host: TestHost): Promise<TestHost> {
  const global: TestHost = { ...host, scope: "global" };
  await publish(host, { name: "@me/floor", hooks: { guard: { matcher: "Edit" } } });
  await addCards(global, ["@me/floor"]);
  await trust(global, { card: "@me/floor" });
  await writeProject(global, { wiring: undefined });
  return global;
}

const TROUBLES: Record<string, Trouble> = {
  "settings that were emptied": {
    state: "unguarded",
    because: /its settings don't have drwn's entry\. Run: drwn write$/u,
    spoil: (host) => fs.writeFileSync(userSettings(host), '{"hooks":{}}'),
  },
  "an entry for other tools": {
    state: "unguarded",
    because: /drwn's entry was edited/u,
    spoil: (host) =>
      editJson<{ hooks: { PreToolUse: { matcher: string }[] } }>(userSettings(host), ({ hooks }) => {
        for (const group of hooks.PreToolUse) group.matcher = "Read";
      }),
  },
  "an empty CLAUDE_CONFIG_DIR": {
    state: "unguarded",
    because: /its settings don't have drwn's entry/u,
    spoil: (host) => ({ ...host, env: { ...host.env, CLAUDE_CONFIG_DIR: "" } }),
  },
  "a CLAUDE_CONFIG_DIR that is below every folder": {
    state: "unguarded",
    because: /its settings don't have drwn's entry/u,
    spoil: (host) => ({ ...host, env: { ...host.env, CLAUDE_CONFIG_DIR: ".claude" } }),
  },
  "settings of another CLAUDE_CONFIG_DIR": {
    state: "unguarded",
    because: /its settings don't have drwn's entry/u,
    spoil: (host) => ({ ...host, env: { ...host.env, CLAUDE_CONFIG_DIR: path.join(host.home, "elsewhere") } }),
  },
  "settings that are not JSON": {
    state: "unguarded",
    because: /settings\.json/u,
    spoil: (host) => fs.writeFileSync(userSettings(host), "{{{"),
  },
  "settings that are a list": {
    state: "unguarded",
    because: /settings\.json/u,
    spoil: (host) => fs.writeFileSync(userSettings(host), "[]"),
  },
  disableAllHooks: {
    state: "unguarded",
    because: /`disableAllHooks` keeps Claude Code from running any hook/u,
    spoil: inSettings({ disableAllHooks: true }),
  },
  "another home, with the state of the old one": {
    state: "unguarded",
    because: /its settings don't have drwn's entry/u,
    spoil: (host) => ({ ...host, home: path.join(machineOf(host), "other") }),
  },
  "the recorded Node is a program that isn't one": {
    state: "blocked",
    because: /\/bin\/true starts the hook, but runs no JavaScript, so every tool call is blocked\. Run: drwn write$/u,
    spoil: (host) => recordNode(host, "/bin/true"),
  },
  "the recorded Node is a program that says the version of one, and does nothing": {
    state: "blocked",
    because: /starts the hook, but runs no JavaScript, so every tool call is blocked\. Run: drwn write$/u,
    spoil: (host) => {
      const node = path.join(machineOf(host), "mute");
      fs.writeFileSync(node, '#!/bin/sh\n[ "$1" != --version ] || echo v22.0.0\n', { mode: 0o755 });
      recordNode(host, node);
    },
  },
  "settings that disable hooks in a folder below, where a person stands,": {
    state: "unguarded",
    because: /starts in below, `disableAllHooks` keeps drwn's hook from being asked/u,
    spoil: (host) => {
      fs.mkdirSync(path.join(host.cwd, "below/.claude"), { recursive: true });
      fs.writeFileSync(path.join(host.cwd, "below/.claude/settings.json"), '{"disableAllHooks":true}');
      return host.at(path.join(host.cwd, "below"));
    },
  },
  "an uninstall": {
    state: "unguarded",
    because: /its settings don't have drwn's entry\. Run: drwn write$/u,
    spoil: (host) => uninstall(host, { dryRun: false, purge: false, shared: false }),
  },
  "a second card that was consented to and not written": {
    state: "unguarded",
    because: /what you consented to in @me\/second is not written yet\. Run: drwn write$/u,
    spoil: async (host) => {
      await publish(host, { ...GUARD, name: "@me/second" });
      await addCards(host, ["@me/second"]);
      await trust(host, { card: "@me/second" });
    },
  },
  "a consent to enforce what was written as a shadow": {
    state: "blocked",
    because:
      /the plan asks less of @me\/backend than you consented to, so every tool call is blocked\. Run: drwn write$/u,
    spoil: async (host) => {
      await trust(host, { mode: "shadow" });
      await writeProject(host, { wiring: undefined });
      await trust(host, { mode: "enforce" });
    },
  },
  "a loader that the project's settings name": {
    state: "unguarded",
    because: /starts hooks with LD_PRELOAD/u,
    spoil: (host) => {
      fs.mkdirSync(path.join(host.cwd, ".claude"));
      fs.writeFileSync(path.join(host.cwd, ".claude/settings.json"), '{"env":{"LD_PRELOAD":"./x.so"}}');
    },
  },
  "a project that the hook knows neither by path nor by number": {
    state: "unguarded",
    because: /the record by which the hook knows this project is gone/u,
    spoil: (host) => {
      removeMarkers(host);
      fs.rmSync(layout.inodes(host.drwnHome), { recursive: true });
    },
  },
  "a project that the hook knows by its number alone": {
    state: "blocked",
    because: /the record by which the hook knows this project is gone/u,
    spoil: removeMarkers,
  },
  "a folder that was moved": {
    state: "blocked",
    because: /this folder was .*drwn trust --adopt/u,
    spoil: move,
  },
  "a folder that was moved, and that nobody knows any more": {
    state: "unguarded",
    because: /this folder was .*drwn trust --adopt/u,
    spoil: (host) => {
      fs.rmSync(layout.inodes(host.drwnHome), { recursive: true });
      return move(host);
    },
  },
  "a folder that was moved, and a damaged ledger of its former place": {
    state: "blocked",
    because:
      /this folder was .*: the record of your consents is damaged.* so the hook blocks every tool call.*trust --no-adopt$/u,
    spoil: (host) => {
      fs.appendFileSync(ledgerFile(host), "{");
      return move(host);
    },
  },
  "a folder that was moved, and a ledger of its former place that is gone": {
    state: "blocked",
    because:
      /this folder was .*: the record of your consents is gone, so the hook blocks .*Run: drwn trust --no-adopt$/u,
    spoil: (host) => {
      fs.rmSync(ledgerFile(host));
      return move(host);
    },
  },
  "a ledger that is gone": {
    state: "blocked",
    because: /the record of what you consented to here is gone/u,
    spoil: (host) => fs.rmSync(ledgerFile(host)),
  },
  "a ledger that is damaged": {
    state: "blocked",
    because: /the record of your consents is damaged: .*, so the hook blocks every tool call\. To fix it, restore /u,
    spoil: (host) => fs.appendFileSync(ledgerFile(host), "{"),
  },
  "a ledger that others can change": {
    state: "blocked",
    because: /can be changed by other users, so the hook blocks every tool call\. To fix it, look at who changed it/u,
    spoil: (host) => fs.chmodSync(ledgerFile(host), 0o666),
  },
  "a ledger that is a folder": {
    state: "blocked",
    because: /the record of your consents is damaged: .*, so the hook blocks every tool call/u,
    spoil: (host) => {
      fs.rmSync(ledgerFile(host));
      fs.mkdirSync(ledgerFile(host));
    },
  },
  "a ledger that is gone with the records of projects": {
    state: "blocked",
    because: /the record of what you consented to here is gone/u,
    spoil: ({ drwnHome }) => {
      for (const folder of [layout.ledgers(drwnHome), layout.roots(drwnHome)]) fs.rmSync(folder, { recursive: true });
    },
  },
  "a ledger that is gone with everything by which the hook knows the project": {
    state: "unguarded",
    because: /the record by which the hook knows this project is gone/u,
    spoil: ({ drwnHome }) => {
      for (const folder of [layout.ledgers(drwnHome), layout.roots(drwnHome), layout.inodes(drwnHome)]) {
        fs.rmSync(folder, { recursive: true });
      }
    },
  },
  "a damaged ledger of a project that the hook does not know": {
    state: "unguarded",
    because: /the record by which the hook knows this project is gone/u,
    spoil: (host) => {
      fs.appendFileSync(ledgerFile(host), "{");
      for (const file of markersOf(host.drwnHome, identifyProject(host.cwd))) fs.rmSync(file);
      fs.rmSync(layout.inodes(host.drwnHome), { recursive: true });
    },
  },
  "what holds in every folder has lost its ledger": {
    state: "blocked",
    because: /in what holds in every folder: the record of what you consented to here is gone, .*drwn trust --global/u,
    spoil: async (host) => fs.rmSync(ledgerFile(await guardEverywhere(host))),
  },
  "what holds in every folder has a damaged ledger": {
    state: "blocked",
    because: /in what holds in every folder: the record of your consents is damaged/u,
    spoil: async (host) => fs.appendFileSync(ledgerFile(await guardEverywhere(host)), "{"),
  },
  "what holds in every folder has lost its plan": {
    state: "blocked",
    because: /in what holds in every folder: the plan is missing or was altered\. Run: drwn write --global$/u,
    spoil: async (host) => fs.rmSync(planFile(await guardEverywhere(host))),
  },
  "a home that was moved": {
    state: "blocked",
    because:
      /its settings ask the hook in .*, which is gone, so every tool call is blocked\. To fix it, take the entries/u,
    spoil: (host) => {
      const home = path.join(machineOf(host), "moved");
      fs.renameSync(host.home, home);
      return { ...host, home, drwnHome: path.join(home, ".agents", "drwn"), env: { ...host.env, HOME: home } };
    },
  },
  "a plan that is gone": {
    state: "blocked",
    because: /the plan is missing or was altered/u,
    spoil: (host) => fs.rmSync(planFile(host)),
  },
  "a compiled policy that was altered": {
    state: "blocked",
    because: /a compiled policy is missing or was altered/u,
    spoil: (host) => {
      fs.chmodSync(bundleFile(host), 0o600);
      fs.appendFileSync(bundleFile(host), "\n");
    },
  },
  "code that several policies share, and that was altered,": {
    state: "blocked",
    because: /a compiled policy is missing or was altered/u,
    spoil: async (host) => {
      for (const card of ["@drwn/git", "@drwn/files", "@drwn/secrets"]) {
        await addCards(host, [card]);
        await trust(host, { card });
      }
      await writeProject(host, { wiring: undefined });
      const folder = path.dirname(layout.shard(host.drwnHome, openProjectKey(host), "any"));
      const files = fs.readdirSync(folder).map((name) => path.join(folder, name));
      const shared = files.filter((file) => !fs.readFileSync(file, "utf8").startsWith("//{"));
      expect(shared).toHaveLength(1);
      for (const file of shared) fs.writeFileSync(file, "0", { mode: 0o600 });
    },
  },
  "a launcher that is gone": {
    state: "blocked",
    because: /the hook launcher is missing/u,
    spoil: (host) => fs.rmSync(layout.launcher(host.drwnHome)),
  },
  "a launcher that lets everything through": {
    state: "unknown",
    because: /the hook launcher was altered, or is from another version of drwn/u,
    spoil: (host) => fs.writeFileSync(layout.launcher(host.drwnHome), "#!/bin/sh\nexit 0\n"),
  },
  "a session in a folder below, where the entry is in the project's settings,": {
    state: "unguarded",
    because: /a session started in a folder below runs without these policies/u,
    spoil: async (host) => {
      await writeProject(host, { wiring: "project" });
      fs.mkdirSync(path.join(host.cwd, "below"));
      return host.at(path.join(host.cwd, "below"));
    },
  },
  "a pause": {
    state: "paused",
    because: /are paused until .*drwn pause --end$/u,
    spoil: (host) => pauseProject({ ...host, isAtTerminal: true, now: () => new Date() }, 30),
  },
};

const SURFACES: readonly (readonly [command: new (...of: never[]) => DrwnCommand, args: string[], exit: number])[] = [
  [Status, [], 0],
  [Status, ["--check"], 3],
  [List, [], 0],
  [Why, [CARD], 0],
  [Write, ["--check"], 3],
  [Doctor, [], 3],
];

test.each(sweep(Object.entries(TROUBLES), 15))(
  "after %s every command says so in its first line, and no card counts as in force",
  async (_, { state, because, spoil }) => {
    const host = await guardedProject();
    expect(readStatus(host).guarding).toMatchObject({ ok: true, agents: [{ state: "guarded" }] });
    const spoiled = ((await spoil(host)) ?? host) as TestHost;
    const there = "cwd" in spoiled ? spoiled : host;
    const { guarding, cards, planInForce } = readStatus(there);
    expect([guarding.ok, planInForce]).toEqual([false, false]);
    expect(guarding.agents).toMatchObject([{ runtime: "claude-code", state }]);
    expect(cards.at(-1)?.consent).toMatchObject({ state: expect.not.stringMatching("active"), inForce: null });
    for (const [command, args, exit] of SURFACES) {
      const { stdout, exitCode } = await runCommand(there, command as never, ...args);
      const [line = ""] = stdout.split("\n");
      expect([command.name, line.startsWith("Guarded"), because.test(line), exitCode]).toEqual([
        command.name,
        false,
        true,
        exit,
      ]);
    }
  },
);

test("where something else lies in the place of the launcher, every call is blocked, and status says so", async () => {
  const host = await guardedProject();
  const launcher = layout.launcher(host.drwnHome);
  fs.rmSync(launcher);
  fs.mkdirSync(launcher);
  const because = { message: expect.stringMatching(/bin\/hook is not a regular file$/u) };
  expect(readStatus(host).guarding).toMatchObject({ ok: false, agents: [{ state: "blocked", because }] });
});

test("a version that was consented to and not written leaves the earlier one in force, and every command says so", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "1.1.0", hooks: { guard: { matcher: "Bash|Edit" } } });
  await updateCards(host, { names: [CARD], latest: false, dryRun: false });
  await trust(host);
  const { guarding, cards } = readStatus(host);
  const because = { message: `${CARD} 1.0.0 judges until 1.1.0, which you consented to, is written` };
  expect(guarding).toMatchObject({ ok: false, agents: [{ state: "guarded", because }], notInForce: [] });
  expect(cards).toMatchObject([{ consent: { state: "joins", inForce: "1.0.0" } }]);
  expect(explainCard(host, CARD).inForce).toMatchObject({
    state: "joins",
    version: "1.0.0",
    hooks: [{ name: "guard" }],
  });
  for (const [command, args, exit] of SURFACES) {
    const { stdout, exitCode } = await runCommand(host, command as never, ...args);
    const line = `Guarded: Claude Code, but ${because.message}. Run: drwn write`;
    expect([command.name, stdout.split("\n")[0], exitCode]).toEqual([command.name, line, exit]);
  }
});

test("where every guard stands and a skill is to be written, `write --check` and doctor end with 3, and `status --check` with 0", async () => {
  const host = await guardedProject();
  await publish(host, { ...SKILL, name: "@me/second" });
  await addCards(host, ["@me/second"]);
  for (const [command, args, exit] of [
    [Status, ["--check"], 0],
    [Write, ["--check"], 3],
    [Doctor, [], 3],
  ] as const) {
    const { stdout, exitCode } = await runCommand(host, command, ...args);
    expect([command.name, stdout.split("\n")[0], exitCode]).toEqual([command.name, "Guarded: Claude Code", exit]);
  }
});

test("what does not stand is said before what does, and one reason of two agents is said of each as it is there", () => {
  const because = { message: "a reason", hint: null };
  const agent = (title: string, state: AgentState, reason: typeof because | null = because): GuardedAgent => ({
    ...{ runtime: "codex", title, state, managedFile: null, because: reason, isFound: true, cards: [] },
  });
  const agents = [
    agent("A", "guarded", null),
    agent("B", "blocked"),
    agent("C", "unguarded"),
    agent("D", "guarded", null),
  ];
  const guarding = { ok: false, agents, leftOut: [], notInForce: [], replaced: [], enclosing: [], findings: [] };
  expect(renderGuarding(guarding, { style: makeStyle(false), scope: "project" })).toEqual([
    "Every tool call is blocked in B: a reason",
    "NOT GUARDED in C: a reason",
    "Guarded: A, D",
  ]);
});

test("where no file of settings can be changed, `write --check --json` has what is said of the guards, and why", async () => {
  const host = await guardedProject();
  fs.writeFileSync(userSettings(host), "{{{");
  const { stdout, exitCode } = await runCommand(host, Write, "--check", "--json");
  const said = { guarding: { ok: false }, error: { code: "DRWN_SETTINGS_INVALID" } };
  expect([JSON.parse(stdout), exitCode]).toMatchObject([said, 3]);
});
