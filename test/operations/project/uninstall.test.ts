import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Uninstall from "../../../src/cli/commands/uninstall.ts";
import { layout } from "../../../src/contract/layout.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { uninstall } from "../../../src/operations/project/uninstall.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson, machineOf, snapshot, userSettings } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { anotherProject, CARD, guardedProject, newProject, publish, trust, write } from "../../support/projects.ts";

const PLAIN = { dryRun: false, purge: false, shared: false };
const THEIRS =
  '{\r\n\t"model": "opus",\r\n\t"hooks": {"PreToolUse": [{"hooks": [{"type":"command","command":"mine"}]}]}\r\n}';

function put(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const CARD_WITH_ALL = {
  hooks: { guard: { matcher: "Bash" } },
  manifest: { skills: { include: ["style"] }, servers: { db: { command: "db" } } },
  files: { "skills/style/SKILL.md": "# Style\n" },
};

/** Two guarded projects for both agents, one wired in the project's own settings, with settings of others in each place. */
async function guardedMachine(): Promise<{ host: TestHost; other: TestHost; files: string[] }> {
  const host = newProject();
  const other = anotherProject(host);
  const personal = path.join(other.cwd, ".claude", "settings.local.json");
  const files = [userSettings(host), path.join(host.home, ".codex", "hooks.json"), personal];
  for (const file of files) put(file, THEIRS);
  await publish(host, CARD_WITH_ALL);
  for (const [machine, wiring] of [
    [host, "user"],
    [other, "project"],
  ] as const) {
    await addCards(machine, [CARD]);
    await trust(machine);
    await writeProject(machine, { wiring, runtimes: ["claude-code", "codex"] });
  }
  return { host, other, files };
}

/** What an agent that still has the entry gets to hear in this project. */
function ask(host: TestHost): string {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: host.cwd };
  const command = hookCommand({ home: host.drwnHome, runtime: "claude-code", phase: "pre" });
  const env = { PATH: process.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: host.cwd };
  const options = { cwd: host.cwd, env, input: JSON.stringify(event), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], options);
  return `${status} ${stdout}${stderr}`;
}

/** Runs the work while nothing can be removed from the folder. Root could all the same, so it becomes the machine's owner, who is not. */
async function withoutRightsIn<T>(host: TestHost, folder: string, work: () => Promise<T>): Promise<T> {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  const machine = machineOf(host);
  for (const name of isRoot ? ["", ...Object.keys(snapshot(machine))] : [])
    fs.lchownSync(path.join(machine, name), nobody, nobody);
  fs.chmodSync(folder, 0o555);
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    fs.chmodSync(folder, 0o755);
  }
}

describe("drwn uninstall", () => {
  test("gives every settings file back byte for byte, and takes skills and servers out of every project", async () => {
    const { host, other, files } = await guardedMachine();
    for (const file of files) expect(fs.readFileSync(file, "utf8")).not.toBe(THEIRS);
    const { remaining } = await uninstall(host, PLAIN);
    for (const file of files) expect(fs.readFileSync(file, "utf8")).toBe(THEIRS);
    for (const { cwd } of [host, other]) {
      const left = Object.keys(snapshot(cwd)).filter((file) => !file.startsWith(".agents/drwn") && file !== ".agents");
      expect(left.filter((file) => !file.startsWith(".claude"))).toEqual([]);
      expect(fs.existsSync(path.join(cwd, ".claude", "skills"))).toBe(false);
    }
    expect(remaining.every(({ kind }) => kind === "state")).toBe(true);
  });

  test("silences a session that still has the entry, and `write` puts the guards back", async () => {
    const host = await guardedProject();
    const before = fs.readFileSync(userSettings(host), "utf8");
    await uninstall(host, PLAIN);
    expect(ask(host)).toBe("0 ");
    expect((await uninstall(host, PLAIN)).removed).toEqual([]);
    expect((await write(host)).plan.policies).toHaveLength(1);
    expect(fs.readFileSync(userSettings(host), "utf8")).toBe(before);
    expect(ask(host)).toContain("deny");
  });

  test("knows projects in which nobody consented to anything, and passes over those that are gone", async () => {
    const host = newProject();
    await publish(host, { ...CARD_WITH_ALL, hooks: {} });
    await addCards(host, [CARD]);
    await write(host);
    const other = anotherProject(host);
    await addCards(other, [CARD]);
    await write(other);
    fs.rmSync(other.cwd, { recursive: true });
    const { projects } = await uninstall(host.at(host.home), PLAIN);
    expect(projects.map(({ isThere }) => isThere).sort()).toEqual([false, true]);
    expect(fs.existsSync(path.join(host.cwd, ".claude"))).toBe(false);
  });

  test("in the new place of a project that was moved, gives that back as it was, too", async () => {
    const host = newProject();
    await publish(host, CARD_WITH_ALL);
    await addCards(host, [CARD]);
    await trust(host);
    put(path.join(host.cwd, ".mcp.json"), THEIRS);
    const left = (folder: string) => Object.keys(snapshot(folder)).filter((file) => !file.startsWith(".agents"));
    const before = left(host.cwd);
    await writeProject(host, { wiring: undefined, runtimes: ["arawn", "claude-code", "codex", "cursor"] });
    const moved = host.at(`${host.cwd}-moved`);
    fs.renameSync(host.cwd, moved.cwd);
    expect(left(moved.cwd).length).toBeGreaterThan(before.length);
    const { projects } = await uninstall(moved, { ...PLAIN, purge: true });
    expect(projects.map(({ isThere }) => isThere)).toEqual([true]);
    expect(left(moved.cwd)).toEqual(before);
    expect(fs.readFileSync(path.join(moved.cwd, ".mcp.json"), "utf8")).toBe(THEIRS);
  });

  test("says all that it would do, and does nothing, in a dry run", async () => {
    const { host } = await guardedMachine();
    const before = snapshot(machineOf(host));
    const preview = await uninstall(host, { ...PLAIN, dryRun: true, purge: true });
    expect(snapshot(machineOf(host))).toEqual(before);
    const done = await uninstall(host, { ...PLAIN, purge: true });
    expect(done.changes).toEqual(preview.changes);
    expect(done.removed).toEqual(preview.removed);
  });

  test("what a purge would take is told from what it leaves, and only of a project with a folder that it is gone", async () => {
    const { host } = await guardedMachine();
    const unwritten = anotherProject(host, "unwritten");
    await addCards(unwritten, [CARD]);
    fs.mkdirSync(path.dirname(layout.ownKey(host.drwnHome, "@me")), { recursive: true });
    const { stdout } = await runCommand(host, Uninstall, "--dry-run");
    const [, taken = "", kept = ""] =
      /--purge` removes them\n((?: {2}.*\n)+)kept: keys, sources, .*\n((?: {2}.*\n)+)/u.exec(stdout) ?? [];
    const names = (lines: string) =>
      lines
        .trim()
        .split("\n")
        .map((line) => path.basename(line));
    expect([names(taken), names(kept)]).toEqual([expect.arrayContaining(["ledger", "store"]), ["keys", "registry"]]);
    expect(stdout).not.toContain("project folder not found");
  });

  test("a purge leaves what people made, and nothing else", async () => {
    const { host } = await guardedMachine();
    fs.mkdirSync(path.dirname(layout.ownKey(host.drwnHome, "@me")), { recursive: true });
    const { remaining } = await uninstall(host, { ...PLAIN, purge: true });
    expect(fs.readdirSync(host.drwnHome).sort()).toEqual(["keys", "registry"]);
    expect(remaining.map((one) => path.relative(host.drwnHome, one.path))).toEqual(
      expect.arrayContaining(["keys", "registry"]),
    );
  });

  test.each<[string, string]>([
    ["has a comment in it", `// mine\n${THEIRS}`],
    ["is no JSON", "{"],
    ["is too large", `{"a":"${"x".repeat(5 * 1024 * 1024)}"}`],
  ])(
    "a settings file that %s stays, is named, and keeps no other file and no purge from being safe",
    async (_, text) => {
      const { host, files } = await guardedMachine();
      const [user = "", codex = "", personal = ""] = files;
      put(user, text);
      const { remaining, removed } = await uninstall(host, { ...PLAIN, purge: true });
      const stuck = remaining.filter(({ kind }) => kind === "entry");
      expect(stuck).toMatchObject([{ hint: expect.stringContaining("bin/hook") }]);
      expect(stuck.map((one) => one.path + one.why).join("")).toContain(user);
      expect(fs.readFileSync(user, "utf8")).toBe(text);
      for (const file of [codex, personal]) expect(fs.readFileSync(file, "utf8")).toBe(THEIRS);
      expect(removed).toEqual([layout.roots(host.drwnHome), layout.inodes(host.drwnHome)]);
      expect(ask(host)).toBe("0 ");
    },
  );

  test("the entry that a project commits stays unless it is asked for, and blocks with what to remove", async () => {
    const host = await guardedProject();
    editJson<Record<string, unknown>>(projectFiles.config(host.cwd), (config) => {
      config["requireHooks"] = [CARD];
    });
    await writeProject(host, { wiring: undefined, shared: true });
    const file = path.join(host.cwd, ".claude", "settings.json");
    const committed = fs.readFileSync(file, "utf8");
    const { remaining } = await uninstall(host, PLAIN);
    expect(remaining.filter(({ kind }) => kind === "shared").map((one) => one.path)).toEqual([file]);
    expect(fs.readFileSync(file, "utf8")).toBe(committed);
    await uninstall(host, { ...PLAIN, shared: true });
    expect(fs.existsSync(file)).toBe(false);
  });

  test("takes the entry of a settings folder that is no longer the agent's", async () => {
    const folder = path.join(path.dirname(newProject().home), "elsewhere");
    const host = await guardedProject({ env: { CLAUDE_CONFIG_DIR: folder } });
    const file = path.join(folder, "settings.json");
    expect(fs.existsSync(file)).toBe(true);
    await uninstall({ ...host, env: {} }, PLAIN);
    expect(fs.existsSync(file)).toBe(false);
  });

  test("keeps a skill that somebody edited, and says so", async () => {
    const { host } = await guardedMachine();
    const skill = path.join(host.cwd, ".claude", "skills", "style", "SKILL.md");
    fs.appendFileSync(skill, "mine\n");
    const { remaining } = await uninstall(host, PLAIN);
    expect(remaining.filter(({ kind }) => kind === "file").map((one) => one.path)).toEqual([skill]);
    expect(fs.existsSync(skill)).toBe(true);
  });

  test("what the system kept it from removing goes when it is fixed and run again", async () => {
    const { host } = await guardedMachine();
    const skill = path.join(host.cwd, ".claude", "skills", "style");
    const stuck = await withoutRightsIn(host, skill, () => uninstall(host, PLAIN));
    expect(stuck.remaining.filter(({ kind }) => kind === "entry").map((one) => one.path)).toEqual([
      path.join(skill, "SKILL.md"),
    ]);
    expect(fs.existsSync(skill)).toBe(true);
    const { remaining } = await uninstall(host, PLAIN);
    expect(remaining.filter(({ kind }) => kind !== "state")).toEqual([]);
    expect(fs.existsSync(path.join(host.cwd, ".claude"))).toBe(false);
  });

  test("refuses inside a tool call of an agent, and changes nothing", async () => {
    const host = await guardedProject();
    const before = snapshot(machineOf(host));
    const problem = await problemOf(() => uninstall({ ...host, env: { ...host.env, CODEX_THREAD_ID: "1" } }, PLAIN));
    expect(problem.code).toBe("DRWN_AGENT_SESSION");
    expect(snapshot(machineOf(host))).toEqual(before);
  });

  test.each([
    ["opencode", ".config/opencode/plugins/drwn.js", ".config"],
    ["gemini-cli", ".gemini/settings.json", ""],
  ] as const)(
    "killed behind the file of %s, takes the folders that drwn made for it when run again, and no other",
    async (runtime, file, theirs) => {
      const host = await guardedProject();
      const there = fs.existsSync(path.join(host.home, theirs));
      await writeProject(host, { wiring: undefined, runtimes: [runtime] });
      const settings = path.join(host.home, file);
      // As it is when the process dies before the first folder.
      fs.rmSync(settings);
      expect((await uninstall(host, { ...PLAIN, dryRun: true })).changes.map((change) => change.path)).toContain(
        settings,
      );
      await uninstall(host, PLAIN);
      expect(fs.existsSync(path.dirname(settings))).toBe(false);
      expect(fs.existsSync(path.join(host.home, theirs))).toBe(there);
      expect((await uninstall(host, PLAIN)).changes).toEqual([]);
      fs.mkdirSync(path.dirname(settings), { recursive: true });
      await writeProject(host, { wiring: undefined, runtimes: [runtime] });
      for (const left of [settings, null]) {
        if (left !== null) fs.rmSync(left);
        await uninstall(host, PLAIN);
        expect(fs.readdirSync(path.dirname(settings))).toEqual([]);
      }
    },
  );

  test("runs again without harm, and on a machine that never had drwn", async () => {
    const host = await guardedProject();
    await uninstall(host, { ...PLAIN, purge: true });
    const again = await uninstall(host, { ...PLAIN, purge: true });
    expect([again.changes, again.removed]).toEqual([[], []]);
  });

  test("answers people with what goes and what stays, and programs with one document", async () => {
    const host = await guardedProject();
    const said = await runCommand(host, Uninstall, "--dry-run");
    expect(said.stdout).toContain(`would remove ${userSettings(host)}`);
    expect(said.stdout).toContain(`  ${layout.ledgers(host.drwnHome)}\n`);
    put(userSettings(host), "{");
    const { stdout, exitCode } = await runCommand(host, Uninstall, "--json");
    expect(JSON.parse(stdout).dryRun).toBe(false);
    expect(exitCode).toBe(3);
  });
});
