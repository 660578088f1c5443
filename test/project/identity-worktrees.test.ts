import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { listCards } from "../../src/operations/project/list.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { callTool } from "../hostile/machine.ts";
import type { TestHost } from "../support/host.ts";
import { ledgerFile, machineOf, openProjectKey } from "../support/machine-state.ts";
import { CARD, GUARD, guardedProject, installed, publish, trust, write } from "../support/projects.ts";

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd, stdio: "pipe" });
}

/** A guarded project in a git repository, and the same project in a second worktree. */
async function repositoryWithWorktree(): Promise<{ host: TestHost; worktree: TestHost }> {
  const host = await installed(GUARD);
  git(host.cwd, "init", "-q");
  git(host.cwd, "add", ".");
  git(host.cwd, "commit", "-q", "-m", "first");
  await trust(host);
  await write(host);
  const folder = path.join(machineOf(host), "worktree");
  git(host.cwd, "worktree", "add", "-q", folder);
  return { host, worktree: host.at(folder) };
}

test("a new worktree shares the consent of its repository, and the plan in force", async () => {
  const { host, worktree } = await repositoryWithWorktree();
  expect(openProjectKey(worktree)).toBe(openProjectKey(host));
  expect(listCards(worktree).cards[0]?.consent).toMatchObject({ state: "active", range: "^1.0.0", inForce: "1.0.0" });
  const written = await write(worktree);
  expect(written.changes).toEqual([]);
  for (const one of [host, worktree]) expect((await diagnoseProject(one)).findings).toEqual([]);
});

test("an untrust in one worktree holds in all of them", async () => {
  const { host, worktree } = await repositoryWithWorktree();
  await revokeConsent(worktree, CARD);
  expect(listCards(host).cards[0]?.consent?.state).toBe("off");
});

test("another clone of the same repository is another project", async () => {
  const { host } = await repositoryWithWorktree();
  const folder = path.join(machineOf(host), "clone");
  git(machineOf(host), "clone", "-q", host.cwd, folder);
  expect(fs.existsSync(path.join(folder, ".agents/drwn/card.lock"))).toBe(true);
  expect(listCards(host.at(folder)).cards[0]?.consent?.state).toBe("off");
});

test("a worktree of one project in a folder of another one is judged by both, though an agent writes it", async () => {
  const { host } = await repositoryWithWorktree();
  const other = host.at(path.join(machineOf(host), "other"));
  fs.cpSync(host.cwd, other.cwd, { recursive: true, filter: (file) => path.basename(file) !== ".git" });
  await trust(other);
  await write(other);
  const inside = host.at(path.join(other.cwd, "packages/one"));
  fs.mkdirSync(path.dirname(inside.cwd));
  git(host.cwd, "worktree", "add", "-q", inside.cwd);
  const agent = { ...inside, env: { ...inside.env, CLAUDECODE: "1" } };
  await write(agent);
  expect(openProjectKey(inside)).toBe(openProjectKey(host));
  expect(callTool(inside)).toBe("denied by the guard");
  expect(readStatus(inside).guarding.enclosing).toEqual([other.cwd]);
});

test("what git does after the consent needs no write, and status says so", async () => {
  const host = await installed(GUARD);
  await trust(host);
  await write(host);
  git(host.cwd, "init", "-q");
  git(host.cwd, "add", ".");
  git(host.cwd, "commit", "-q", "-m", "first");
  const folder = path.join(machineOf(host), "worktree");
  git(host.cwd, "worktree", "add", "-q", "-b", "side", folder);
  const worktree = host.at(folder);
  expect(callTool(worktree)).toBe("denied by the guard");
  for (const one of [host, worktree]) {
    expect(readStatus(one).guarding.agents.map(({ state }) => state)).toEqual(["guarded"]);
    expect((await diagnoseProject(one)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect((await write(one)).changes).toEqual([]);
  }
});

test("where nothing leads from a worktree to the consent, status says that the others are open, as doctor does", async () => {
  const host = await installed(GUARD);
  await trust(host);
  await write(host);
  git(host.cwd, "init", "-q", `--separate-git-dir=${path.join(machineOf(host), "separate")}`);
  const { guarding } = readStatus(host);
  expect([guarding.ok, guarding.agents[0]?.because?.message]).toEqual([
    false,
    "the hook knows this folder, but not the other worktrees of its repository",
  ]);
  expect((await diagnoseProject(host)).ok).toBe(false);
  await write(host);
  expect(readStatus(host).guarding.ok).toBe(true);
});

/** Guards a project that its repository doesn't keep the files of, and makes a worktree of it. */
async function worktreeWithoutFiles(
  where: (host: TestHost) => string,
): Promise<{ host: TestHost; worktree: TestHost }> {
  const host = await guardedProject();
  git(host.cwd, "init", "-q");
  git(host.cwd, "commit", "-q", "--allow-empty", "-m", "first");
  const worktree = host.at(where(host));
  fs.mkdirSync(path.dirname(worktree.cwd), { recursive: true });
  git(host.cwd, "worktree", "add", "-q", "-b", "side", worktree.cwd);
  expect(fs.existsSync(path.join(worktree.cwd, ".agents"))).toBe(false);
  return { host, worktree };
}

describe("a worktree without the project's files", () => {
  test.each<[string, (host: TestHost) => string]>([
    ["outside of the repository", (host) => path.join(machineOf(host), "side")],
    ["inside of the repository", (host) => path.join(host.cwd, ".trees/side")],
    ["in a folder whose name begins with dots", (host) => path.join(machineOf(host), "..side")],
  ])("%s is said to be guarded, as calls there are", async (_, where) => {
    const { worktree } = await worktreeWithoutFiles(where);
    const below = worktree.at(path.join(worktree.cwd, "..src/a"));
    fs.mkdirSync(below.cwd, { recursive: true });
    for (const one of [worktree, below]) {
      expect(callTool(one)).toBe("denied by the guard");
      const { root, guarding, cards, dropped } = readStatus(one);
      expect([root, guarding.agents.map(({ state }) => state), cards.map(({ name }) => name), dropped]).toEqual([
        worktree.cwd,
        ["guarded"],
        [CARD],
        [],
      ]);
      expect((await diagnoseProject(one)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
    }
  });

  test("is NOT GUARDED if its own settings switch hooks off", async () => {
    const { host, worktree } = await worktreeWithoutFiles((one) => path.join(machineOf(one), "side"));
    fs.mkdirSync(path.join(worktree.cwd, ".claude"));
    fs.writeFileSync(path.join(worktree.cwd, ".claude/settings.json"), '{ "disableAllHooks": true }');
    expect([readStatus(host).guarding.ok, readStatus(worktree).guarding.ok]).toEqual([true, false]);
  });

  test("in another project is guarded by both", async () => {
    const { host, worktree } = await worktreeWithoutFiles((one) => path.join(machineOf(one), "other/trees/side"));
    const other = host.at(path.join(machineOf(host), "other"));
    initProject(other);
    await publish(other, { name: "@me/outer", hooks: { guard: { matcher: "Edit" } } });
    await addCards(other, ["@me/outer"]);
    await trust(other, { card: "@me/outer" });
    await write(other);
    expect(callTool(worktree)).toBe("denied by the guard");
    const { guarding, root } = readStatus(worktree);
    expect([root, guarding.enclosing, guarding.ok]).toEqual([worktree.cwd, [other.cwd], true]);
  });

  test("is blocked, and status says so, once the ledger is gone", async () => {
    const { host, worktree } = await worktreeWithoutFiles((one) => path.join(machineOf(one), "side"));
    fs.rmSync(ledgerFile(host));
    expect(callTool(worktree)).toMatch(/blocked/u);
    expect(readStatus(worktree).guarding.ok).toBe(false);
    expect((await diagnoseProject(worktree)).ok).toBe(false);
  });

  test("takes a card into the project of its own that it then is", async () => {
    const { worktree } = await worktreeWithoutFiles((one) => path.join(machineOf(one), "side"));
    await publish(worktree, { name: "@me/second", hooks: { guard: { matcher: "Edit" } } });
    await addCards(worktree, ["@me/second"]);
    expect(listCards(worktree).cards.map(({ name }) => name)).toEqual([CARD, "@me/second"]);
    expect(callTool(worktree)).toBe("denied by the guard");
  });
});

/** The same of a repository whose own folder lies elsewhere, before or after drwn wrote what it knows of it. */
async function worktreeOfSeparate(writtenAfter: boolean): Promise<{ host: TestHost; worktree: TestHost }> {
  const host = await guardedProject();
  git(host.cwd, "init", "-q", `--separate-git-dir=${path.join(machineOf(host), "separate")}`);
  git(host.cwd, "commit", "-q", "--allow-empty", "-m", "first");
  if (writtenAfter) await write(host);
  const worktree = host.at(path.join(machineOf(host), "side"));
  git(host.cwd, "worktree", "add", "-q", "-b", "side", worktree.cwd);
  return { host, worktree };
}

describe("a worktree without the project's files, of a repository with a separate folder", () => {
  test("is guarded once somebody has written since the repository is there", async () => {
    const { worktree } = await worktreeOfSeparate(true);
    expect(callTool(worktree)).toBe("denied by the guard");
    expect(readStatus(worktree).guarding.ok).toBe(true);
  });

  test("is open before that: status says so in the project, and claims no guard in the worktree", async () => {
    const { host, worktree } = await worktreeOfSeparate(false);
    expect(callTool(worktree)).toBe("silence");
    expect(callTool(host)).toBe("denied by the guard");
    expect(readStatus(host).guarding).toMatchObject({ ok: false });
    expect(() => readStatus(worktree)).toThrow("there is no drwn project in");
  });
});

test("a project whose files were removed is guarded still, and status says so", async () => {
  const host = await guardedProject();
  fs.rmSync(path.join(host.cwd, ".agents/drwn"), { recursive: true });
  expect(callTool(host)).toBe("denied by the guard");
  const { guarding, dropped } = readStatus(host);
  expect([guarding.ok, dropped]).toEqual([true, [CARD]]);
});
